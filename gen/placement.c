#include "gen/placement.h"

#include "gen/gen.h"

// Cache lines are 64 bytes on nearly every core, pages 4 KiB at least.
enum { LINE_BYTES = 64, PAGE_BYTES = 4096 };

static unsigned rounded_up(unsigned bytes, unsigned unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Returns the bytes from the first access to access `index`. In separate pages, accesses are also in separate lines, so
// that they do not share a set of the first-level cache. Neighbours begin at different offsets in their lines: at equal
// ones, some CPUs load at two speeds, by turns.
static unsigned distance(enum program_placement placement, unsigned index, unsigned bytes) {
    unsigned in_line = bytes < LINE_BYTES ? LINE_BYTES / bytes : 1, offset = index % in_line * bytes;
    switch (placement) {
    case PLACEMENT_SAME_LINE:
        return offset;
    case PLACEMENT_OWN_LINES:
        return index * rounded_up(bytes, LINE_BYTES) + offset;
    case PLACEMENT_OWN_PAGES:
        return index * (rounded_up(bytes, PAGE_BYTES) + rounded_up(bytes, LINE_BYTES)) + offset;
    case PLACEMENT_NONE:
    case PLACEMENT_SAME_ADDRESS:
    case PROGRAM_N_PLACEMENTS:
        break;
    }
    return 0;
}

// After the buffer's end, places continue at its begin.
bool placement_find(const struct kernel *kernel, enum program_placement placement, unsigned stream, unsigned place,
                    int *displacement) {
    const struct kernel_place *at = &kernel->places[place];
    const struct isa_reach reach = kernel->isa->reach(at->bytes);
    unsigned from_first = distance(placement, stream * kernel->n_places + place, at->bytes);
    bool is_behind = from_first + at->bytes > PROGRAM_MEMORY_BYTES / 2;
    *displacement = (int)from_first - (is_behind ? PROGRAM_MEMORY_BYTES : 0);
    int most = at->most ? (int)at->most : reach.most, least = at->most ? -(int)at->most : reach.least;
    bool is_reached = *displacement <= most && *displacement >= least && *displacement >= reach.least;
    return from_first + at->bytes <= PROGRAM_MEMORY_BYTES && (at->is_pointer || is_reached);
}

unsigned gen_placement_streams(const struct kernel *kernel, enum program_placement placement, unsigned most) {
    int displacement;
    for (unsigned stream = 0; stream < most; stream++)
        for (unsigned place = 0; place < kernel->n_places; place++)
            if (!placement_find(kernel, placement, stream, place, &displacement))
                return stream;
    return most;
}
