#include "lab/plan_assemble.h"

#include "lab/assembled.h"

#include <string.h>

// The programs of a plan that are to be assembled, and their experiments.
struct programs {
    struct arena *arena;
    struct assembled *assembled; // programs that need not be; null: there are none
    struct program **items;
    struct experiment **owners; // experiment of each program; null: all need it
    size_t n;
};

static void add(struct programs *programs, struct program *program, struct experiment *owner) {
    struct arena *arena = programs->arena;
    if (programs->assembled && assembled_find(programs->assembled, program))
        return;
    programs->items = arena_grow(arena, programs->items, programs->n, sizeof(struct program *));
    programs->owners = arena_grow(arena, programs->owners, programs->n, sizeof(struct experiment *));
    programs->items[programs->n] = program;
    programs->owners[programs->n++] = owner;
}

static void add_all(struct programs *programs, struct program *const chains[N_CHAINS], const struct plan *plan) {
    struct program *common[N_CHAINS];
    size_t n_common = chains_list(chains, common);
    for (size_t i = 0; i < n_common; i++)
        add(programs, common[i], NULL);
    if (plan->corunner)
        add(programs, &plan->corunner->program, NULL);
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct experiment *experiment = plan->experiments[i];
        add(programs, &experiment->program, experiment);
        for (unsigned r = 0; r < experiment->replicates.n; r++)
            if (experiment->replicates.items[r].program != &experiment->program)
                add(programs, experiment->replicates.items[r].program, experiment);
    }
}

// Whether a program of this owner was refused. They lie together; `next`: the first of them, then one past the last.
static bool is_refused(const struct programs *programs, const struct gen_errors *errors, const struct experiment *owner,
                       size_t *next) {
    bool is_any = false;
    for (; *next < programs->n && programs->owners[*next] == owner; ++*next)
        is_any |= errors->mistakes[*next] != NULL;
    return is_any;
}

static void keep(const struct programs *programs) {
    for (size_t i = 0; i < programs->n && programs->assembled; i++)
        if (programs->items[i]->code)
            assembled_add(programs->assembled, programs->items[i]);
}

static void take_out(struct plan *plan, const struct programs *programs, const struct gen_errors *errors, size_t next) {
    size_t kept = 0;
    for (size_t i = 0; i < plan->n_experiments; i++)
        if (!is_refused(programs, errors, plan->experiments[i], &next))
            plan->experiments[kept++] = plan->experiments[i];
    plan->n_experiments = kept;
}

bool plan_assemble(struct arena *arena, struct program *const chains[N_CHAINS], struct plan *plan, struct fail *fail) {
    struct programs programs = {.arena = arena, .assembled = plan->assembled};
    struct gen_errors errors;
    add_all(&programs, chains, plan);
    if (!gen_assemble_each(arena, programs.items, programs.n, &errors, fail))
        return false;
    keep(&programs);
    if (!errors.n)
        return true;
    size_t next = 0;
    bool is_common = is_refused(&programs, &errors, NULL, &next);
    take_out(plan, &programs, &errors, next);
    for (size_t i = 0; i < errors.n; i++)
        plan_refuse(arena, plan, &errors.items[i]);
    if (is_common)
        *fail = errors.items[errors.n - 1];
    return !is_common && plan_is_left(plan, fail);
}
