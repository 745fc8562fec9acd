#include "cli/plan_object.h"

static void mark(struct lab_block *block, const struct object_piece *piece) {
    block->is_of_object = true;
    block->is_function = piece->is_function;
}

bool plan_add_object(struct arena *arena, struct plan *plan, const struct isa *isa, const struct object_file *file,
                     const struct object_range *range, const struct plan_options *options, struct fail *fail) {
    const struct object_piece *pieces;
    size_t n;
    if (!object_code_read(arena, file, range, &pieces, &n, fail))
        return false;
    struct object_linker *linker = object_linker_open(arena, file, isa, fail);
    for (size_t i = 0; linker && i < n; i++) {
        struct fail why = {0};
        struct block_source source = {.isa = isa,
                                      .name = file->path,
                                      .bytes = pieces[i].bytes,
                                      .n_bytes = pieces[i].n_bytes,
                                      .line_offset = (unsigned)(pieces[i].address % 64),
                                      .alignment = pieces[i].alignment};
        if (object_linker_read(linker, &pieces[i], &source, &why) &&
            plan_add_block(arena, plan, &source, pieces[i].name, options, &why))
            mark(plan->experiments[plan->n_experiments - 1]->block, &pieces[i]);
        else
            plan_refuse(arena, plan, &why);
    }
    object_linker_close(linker);
    return linker != NULL;
}
