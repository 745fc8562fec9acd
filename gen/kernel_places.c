// The places in memory that a kernel accesses. Each stream has separate ones.
#include "gen/kernel_read.h"

#include "gen/program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// "8" or "16,504".
static bool read_width(const char *text, struct kernel_place *place) {
    char *end;
    unsigned long bytes = strtoul(text, &end, 10), most = 0;
    bool has_most = *end == ',' && isdigit((unsigned char)end[1]);
    if (has_most)
        most = strtoul(end + 1, &end, 10);
    place->bytes = (unsigned)bytes;
    place->most = (unsigned)most;
    return *end == '\0' && bytes >= 1 && bytes <= KERNEL_MOST_PLACE_BYTES && most <= PROGRAM_MEMORY_BYTES &&
           (most > 0) == has_most;
}

bool kernel_place_add(struct arena *arena, struct kernel *kernel, const char *name, const char *width, unsigned *place,
                      struct fail *fail) {
    struct kernel_place made = {.name = name};
    if (!*name || !read_width(width, &made))
        return fail_set(
            fail, FAIL_INPUT,
            "expected {place:bytes}, of 1 to %d bytes, or {place:bytes,most}, where the instruction reaches "
            "no further than `most` bytes",
            KERNEL_MOST_PLACE_BYTES);
    for (*place = 0; *place < kernel->n_places; (*place)++) {
        const struct kernel_place *other = &kernel->places[*place];
        if (strcmp(other->name, name) != 0)
            continue;
        return (other->bytes == made.bytes && other->most == made.most) ||
               fail_set(fail, FAIL_INPUT,
                        "place '%s' had %u bytes before: name a second place for accesses of another width", name,
                        other->bytes);
    }
    *ARENA_ADD(arena, kernel->places, kernel->n_places) = made;
    return true;
}
