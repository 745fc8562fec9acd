#include "lab/replicate.h"

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
