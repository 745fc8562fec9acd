#include "analyzer/model/vector_forms.h"

#include <string.h>

static uint16_t find_mask(const struct machine *machine) {
    for (unsigned i = 1; i < machine->n_registers; i++)
        if (strcmp(machine->registers[i].name, "V0") == 0)
            return (uint16_t)i;
    return 0;
}

bool vector_forms_add(struct arena *arena, const struct model *model, const struct vector_config *configs,
                      size_t n_configs, const struct form **forms, size_t *n_forms) {
    const struct form *from = *forms;
    size_t n = *n_forms, n_matters = 0;
    uint16_t mask = find_mask(model->machine);
    for (size_t i = 0; i < n; i++)
        n_matters += vector_config_matters(&from[i]);
    if (!n_matters || !n_configs)
        return n_matters;
    struct form *all = ARENA_ARRAY(arena, struct form, n + n_matters * n_configs);
    memcpy(all, from, n * sizeof *all);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < n_configs && vector_config_matters(&from[i]); c++) {
            struct form *made = &all[(*n_forms)++];
            vector_config_apply(arena, &from[i], &configs[c], mask, made);
            if (!made->refused)
                model->backend->set_vector_class(model->cpu, made);
        }
    *forms = all;
    return true;
}
