#include "survey/experiments/experiment_list.h"

#include "gen/isa.h"

struct kernel_text *experiment_list_add(struct experiment_list *list, struct experiment_key key) {
    struct experiment_item *item = ARENA_ADD(list->arena, list->items, list->n);
    *item = (struct experiment_item){key, {.name = experiment_key_name(list->arena, &key), .about = "survey"}};
    return &item->kernel;
}

const char *experiment_syntax(const struct isa *isa) {
    return isa->syntaxes[0] ? "att" : NULL;
}

bool experiment_list_make(const struct experiment_list *list, size_t first, struct arena *arena, const char *path,
                          const struct isa *isa, struct kernel_set *set, struct fail *fail) {
    for (size_t i = first; i < list->n; i++)
        if (!kernel_add(arena, path, isa, experiment_syntax(isa), &list->items[i].kernel, set, fail))
            return false;
    return true;
}

void experiment_list_put_head(const struct isa *isa, struct text *file) {
    kernel_put_head("Experiments of a survey. Each can be repeated: cyclops run --kernels FOLDER NAME", isa,
                    experiment_syntax(isa), file);
}

void experiment_list_put(const struct experiment_list *list, struct text *file) {
    for (size_t i = 0; i < list->n; i++)
        kernel_put(&list->items[i].kernel, file);
}
