#include "survey/followups.h"

#include <stdlib.h>
#include <string.h>

struct planned_form {
    const struct shape *shape;
    struct experiment_key *planned;
    size_t n_planned;
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

static bool is_planned(const struct planned_form *form, const struct experiment_key *key) {
    for (size_t i = 0; i < form->n_planned; i++)
        if (experiment_is_same(&form->planned[i], key))
            return true;
    return false;
}

static const char *kept(struct followups *plan, const char *text) {
    return text ? arena_strdup(plan->arena, text) : NULL;
}

// The table's texts do not outlive it.
static void plan_key(struct followups *plan, struct planned_form *form, const struct experiment_key *key) {
    struct experiment_key *planned = ARENA_ADD(plan->arena, form->planned, form->n_planned);
    *planned = *key;
    planned->filler = kept(plan, key->filler);
    planned->source = kept(plan, key->source);
    planned->result = kept(plan, key->result);
    planned->way = kept(plan, key->way);
}

// Adds the experiments of a form that a key describes. False: there is no such filler, or too many of it.
static bool add_key(const struct isa *isa, const struct shape *shape, const struct experiment_key *key,
                    struct experiment_list *out) {
    bool has_fillers = key->kind == EXPERIMENT_SLOTS || key->kind == EXPERIMENT_FILLED;
    const struct slots_filler *filler = has_fillers ? slots_find_filler(isa, key->filler) : NULL;
    if (has_fillers && (!filler || !key->n_fillers || key->n_fillers > SLOTS_MOST_FILLERS))
        return false;
    if (has_fillers)
        experiments_add_fillers(shape, key->kind, filler, key->n_fillers, out);
    else if (key->kind == EXPERIMENT_PLACES && !shape->is_first) // which has all of them anyway
        experiments_add_places(shape, 1U << key->placement, out);
    else if (key->variant == EXPERIMENT_PADDED)
        experiments_add_padded(isa, shape, key, out);
    return true;
}

static void add_row(struct followups *plan, const struct table_row *row) {
    static const enum experiment_kind order[] = {EXPERIMENT_PAIR, EXPERIMENT_PLACES, EXPERIMENT_SLOTS,
                                                 EXPERIMENT_FILLED};
    struct planned_form *form = find_form(plan, row->form);
    if (!form || form->shape->left_out)
        return;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < row->n_follow; i++)
            if (row->follow[i].kind == order[k] && !is_planned(form, &row->follow[i]) &&
                add_key(plan->isa, form->shape, &row->follow[i], &plan->all))
                plan_key(plan, form, &row->follow[i]);
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
    else if (key.kind == EXPERIMENT_SLOTS || key.kind == EXPERIMENT_FILLED)
        add_key(isa, shape, &key, kernels);
}
