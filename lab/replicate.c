#include "lab/replicate.h"

#include "lab/experiment.h"

#include <string.h>

static void add(struct replicate_list *list, const char *change, struct program *program, unsigned offset) {
    list->items[list->n++] = (struct replicate){{.text = change}, program, offset};
}

// Cache lines have 64 bytes, fetch and loop buffers 16 and 32. The program starts at a multiple of 64.
void replicate_offsets(struct replicate_list *list, struct program *program) {
    add(list, "16 bytes further on", program, 16);
    add(list, "32 bytes further on", program, 32);
    add(list, "48 bytes further on", program, 48);
}

static void add_expansion(struct arena *arena, const struct kernel *kernel, const struct gen_request *request,
                          const struct program *original, const char *change, struct replicate_list *list) {
    struct program *program = ARENA_NEW(arena, struct program);
    struct fail misfit = {0};
    if (gen_expand(arena, kernel, request, program, &misfit) && program->streams == original->streams &&
        (program->unroll != original->unroll || strcmp(program->body, original->body) != 0))
        add(list, change, program, 0);
}

void replicate_kernel(struct arena *arena, const struct kernel *kernel, const struct gen_request *request,
                      struct program *program, struct replicate_list *list) {
    replicate_offsets(list, program);
    struct gen_request changed = *request;
    changed.streams = program->mode == PROGRAM_THROUGHPUT ? program->streams : request->streams;
    changed.rotation = 3;
    add_expansion(arena, kernel, &changed, program, "in other registers", list);
    changed.rotation = 0;
    if (program->form == PROGRAM_LOOPED)
        return;
    changed.unroll = program->unroll / 4;
    if (changed.unroll)
        add_expansion(arena, kernel, &changed, program, "with a quarter of the copies", list);
    changed.unroll = program->unroll * 2;
    add_expansion(arena, kernel, &changed, program, "with twice the copies", list);
}

// Distances to other places in a line that a linker may choose. Returns their number.
static unsigned other_places(unsigned alignment, unsigned places[3]) {
    static const unsigned usual[] = {16, 32, 48}, any[] = {5, 26, 47};
    enum { USUAL = 16 };
    unsigned n = 0;
    for (unsigned i = 0; alignment && i < sizeof usual / sizeof *usual; i++)
        if (alignment < USUAL || usual[i] % alignment == 0)
            places[n++] = alignment < USUAL ? any[i] : usual[i];
    return n;
}

static bool add_layout(struct arena *arena, struct experiment *experiment, const struct replication_change *change,
                       unsigned further, enum block_caller caller, struct fail *fail) {
    struct program *program = ARENA_NEW(arena, struct program);
    struct replicate_list *list = &experiment->replicates;
    if (!block_make_layout(arena, experiment, further, caller, program, fail))
        return false;
    list->items[list->n++] = (struct replicate){*change, program, 0};
    return true;
}

bool replicate_block(struct arena *arena, struct experiment *experiment, struct fail *fail) {
    // One branch more, or 8 bytes of nops, take up to two cycles of a front end.
    static const double width = 0.1;
    static const struct replication_change callers[] = {
        [CALLER_BRANCHES] = {"with one more branch before each call", 2, width},
        [CALLER_IDLES] = {"with nops behind each call", 2, width}};
    const struct lab_block *block = experiment->block;
    unsigned places[3], n = other_places(block->source.alignment, places);
    for (unsigned i = 0; i < n; i++) {
        const char *text = arena_printf(arena, "%u bytes further on", places[i]);
        if (!add_layout(arena, experiment, &(struct replication_change){text, 0, width}, places[i], CALLER_PLAIN, fail))
            return false;
    }
    for (unsigned i = CALLER_BRANCHES; block->is_routine && i <= CALLER_IDLES; i++)
        if (!add_layout(arena, experiment, &callers[i], 0, i, fail))
            return false;
    return true;
}
