#include "cli/plan_object.h"

bool plan_add_object(struct arena *arena, struct plan *plan, const struct isa *isa, const struct object_file *file,
                     const struct object_range *range, const struct plan_options *options, struct fail *fail) {
    const struct object_piece *pieces;
    size_t n;
    if (!object_code_read(arena, file, range, &pieces, &n, fail))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct fail why = {0};
        struct block_source source = {
            .isa = isa, .name = file->path, .bytes = pieces[i].bytes, .n_bytes = pieces[i].n_bytes};
        if (object_data_read(arena, file, &pieces[i], &source, &why) &&
            plan_add_block(arena, plan, &source, pieces[i].name, options, &why))
            plan->experiments[plan->n_experiments - 1]->block->is_function = true;
        else
            plan_refuse(arena, plan, &why);
    }
    return true;
}
