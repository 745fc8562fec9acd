#include "survey/followups.h"

#include <stdlib.h>
#include <string.h>

struct planned_form {
    const struct shape *shape;
    struct planned {
        enum experiment_kind kind; // EXPERIMENT_SLOTS, EXPERIMENT_FILLED
        const struct slots_filler *filler;
        unsigned n;
    } * experiments;
    size_t n_experiments;
    struct table_padding *paddings;
    size_t n_paddings;
    unsigned places; // placements that are planned, a bit for each
};

static int compare_forms(const void *a, const void *b) {
    const struct planned_form *one = a, *other = b;
    return strcmp(one->shape->form->name, other->shape->form->name);
}

void followups_open(struct followups *plan, struct arena *arena, const struct isa *isa, const struct shape *shapes,
                    size_t n) {
    *plan = (struct followups){.arena = arena, .isa = isa, .n_forms = n, .all.arena = arena};
    plan->forms = ARENA_ARRAY(arena, struct planned_form, n);
    for (size_t i = 0; i < n; i++)
        plan->forms[i].shape = &shapes[i];
    if (n)
        qsort(plan->forms, n, sizeof *plan->forms, compare_forms);
}

static struct planned_form *find_form(const struct followups *plan, const char *name) {
    const struct form form = {.name = name};
    const struct shape shape = {.form = &form};
    const struct planned_form wanted = {.shape = &shape};
    return plan->n_forms ? bsearch(&wanted, plan->forms, plan->n_forms, sizeof wanted, compare_forms) : NULL;
}

static bool is_planned(const struct planned_form *form, const struct planned *wanted) {
    for (size_t i = 0; i < form->n_experiments; i++) {
        const struct planned *each = &form->experiments[i];
        if (each->kind == wanted->kind && each->filler == wanted->filler && each->n == wanted->n)
            return true;
    }
    return false;
}

static void add_fillers(struct followups *plan, struct planned_form *form, enum experiment_kind kind,
                        const struct table_fillers *list, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct planned wanted = {kind, slots_find_filler(plan->isa, list[i].filler), list[i].n};
        if (!wanted.filler || wanted.n > SLOTS_MOST_FILLERS || is_planned(form, &wanted))
            continue;
        *ARENA_ADD(plan->arena, form->experiments, form->n_experiments) = wanted;
        experiments_add_fillers(form->shape, kind, wanted.filler, wanted.n, &plan->all);
    }
}

static bool is_padded(const struct planned_form *form, const struct table_padding *padding) {
    for (size_t i = 0; i < form->n_paddings; i++)
        if (strcmp(form->paddings[i].source, padding->source) == 0 &&
            strcmp(form->paddings[i].result, padding->result) == 0 &&
            strcmp(form->paddings[i].way, padding->way) == 0 && form->paddings[i].pads == padding->pads)
            return true;
    return false;
}

// The table's texts do not outlive it.
static void add_padding(struct followups *plan, struct planned_form *form, const struct table_padding *padding) {
    if (is_padded(form, padding))
        return;
    *ARENA_ADD(plan->arena, form->paddings, form->n_paddings) =
        (struct table_padding){arena_strdup(plan->arena, padding->source), arena_strdup(plan->arena, padding->result),
                               arena_strdup(plan->arena, padding->way), padding->pads};
    experiments_add_padded(plan->isa, form->shape, padding, &plan->all);
}

static void add_row(struct followups *plan, const struct table_row *row) {
    struct planned_form *form = find_form(plan, row->form);
    if (!form || form->shape->left_out)
        return;
    for (size_t i = 0; i < row->n_paddings; i++)
        add_padding(plan, form, &row->paddings[i]);
    if (!form->shape->is_first) // which has all of them anyway
        experiments_add_places(form->shape, row->wants_places & ~form->places, &plan->all);
    form->places |= row->wants_places;
    add_fillers(plan, form, EXPERIMENT_SLOTS, row->slots.fillers, row->slots.n_fillers);
    add_fillers(plan, form, EXPERIMENT_FILLED, row->fills, row->n_fills);
}

void followups_add(struct followups *plan, const struct survey_table *table) {
    for (size_t i = 0; i < table->n_rows; i++)
        add_row(plan, &table->rows[i]);
}

void followups_add_name(const struct isa *isa, const struct shape *shape, const char *name,
                        struct experiment_list *kernels) {
    struct experiment_key key;
    experiment_key_parse(kernels->arena, name, NULL, &key);
    if (key.kind == EXPERIMENT_PAIR && key.variant == EXPERIMENT_PADDED)
        experiments_add_padded(isa, shape, NULL, kernels);
    if (key.kind != EXPERIMENT_SLOTS && key.kind != EXPERIMENT_FILLED)
        return;
    const struct slots_filler *filler = slots_find_filler(isa, key.filler);
    if (filler && key.n_fillers && key.n_fillers <= SLOTS_MOST_FILLERS)
        experiments_add_fillers(shape, key.kind, filler, key.n_fillers, kernels);
}
