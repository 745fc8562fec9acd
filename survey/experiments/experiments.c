#include "survey/experiments/experiments.h"

#include "survey/experiments/experiment_kinds.h"
#include "survey/experiments/experiment_text.h"
#include "survey/experiments/slow_values.h"
#include "survey/forms/chain_partners.h"
#include "survey/forms/isa_traits.h"

#include <string.h>

void experiments_add(const struct isa *isa, const struct shape *shape, bool is_first, struct experiment_list *kernels) {
    if (shape->wrapper) {
        experiments_add_wrapped(shape, kernels);
        slow_x87_add(shape, kernels);
        return;
    }
    experiments_add_throughputs(isa, shape, kernels);
    experiments_add_latencies(isa, shape, kernels);
    experiments_add_same(shape, kernels);
    bool has_slow_chains = slow_values_add(isa, shape, kernels);
    experiments_add_memory_throughput(shape, kernels);
    experiments_add_through_memory(isa, shape, kernels);
    experiments_add_stores(isa, shape, kernels);
    if (is_first && shape->has_memory)
        experiments_add_index(isa, shape, kernels);
    bool has_groups = shape->form->vector.lmul > 0; // a pipe that is taken for long hides when a result is there
    if ((is_first || has_slow_chains) && !has_groups)
        experiments_add_others(isa, shape, kernels);
    if (is_first)
        experiments_add_places(shape, EXPERIMENTS_ALL_PLACES, kernels);
}

void experiments_add_fillers(const struct shape *shape, enum experiment_kind kind, const struct slots_filler *filler,
                             unsigned n, struct experiment_list *kernels) {
    const struct form_wrapper *around = shape->wrapper;
    const char *body = around && around->is_fixed_place ? shape->body : experiment_with_places(shape, kernels->arena),
               *init = around && around->init ? arena_printf(kernels->arena, ", %s", around->init) : "";
    const struct experiment_key key = {.kind = kind, .filler = filler->name, .n_fillers = n, .beside = ""};
    struct text fillers = {.arena = kernels->arena};
    text_add(&fillers, "");
    slots_add_fillers(filler, n, &fillers);
    if (!around || around->is_steady)
        experiment_add_throughput(shape, key, body, fillers.data, init, kernels);
}

// Adds a partner's experiment: as a chain, or `is_side_by_side` as streams.
static void add_partner(const struct chain_partner_experiment *partner, const char *vector_setup, bool is_side_by_side,
                        struct experiment_list *kernels) {
    const struct experiment_key key = {.kind = is_side_by_side ? EXPERIMENT_STEP : EXPERIMENT_PARTNER,
                                       .way = is_side_by_side ? NULL : partner->name,
                                       .step = is_side_by_side ? partner->name : NULL};
    struct kernel_text *kernel = experiment_list_add(kernels, key);
    kernel->body = partner->body;
    kernel->init = partner->init;
    kernel->requires = partner->feature;
    *(is_side_by_side ? &kernel->writes : &kernel->chain) = partner->chain;
    if (partner->feature && vector_setup && strcmp(partner->feature, "v") == 0)
        kernel->setup = vector_setup;
}

static void add_partners(const struct chain_partner_experiment *partners, size_t n, const char *vector_setup,
                         struct experiment_list *kernels) {
    for (size_t i = 0; i < n; i++) {
        add_partner(&partners[i], vector_setup, false, kernels);
        if (partners[i].n_steps == 1 && !partners[i].less && !strstr(partners[i].chain, "->"))
            add_partner(&partners[i], vector_setup, true, kernels);
    }
}

void experiments_add_scaffold(const struct isa *isa, struct experiment_list *kernels) {
    const struct chain_partner_experiment *partners;
    size_t n = chain_partners_experiments(isa, &partners);
    add_partners(partners, n, isa_traits_find(isa)->vector_setup, kernels);
    slots_add_experiments(isa, kernels);
}

void experiments_add_vector_scaffold(const struct isa *isa, const struct vector_config *config,
                                     struct experiment_list *kernels) {
    const struct chain_partner_experiment *partners;
    size_t n = chain_partners_experiments_at(kernels->arena, isa, config, &partners);
    add_partners(partners, n, vector_config_setup(kernels->arena, config), kernels);
}

void experiments_add_vector_scaffolds(const struct isa *isa, const struct shape *shapes, size_t n,
                                      struct experiment_list *kernels) {
    struct vector_config *seen = NULL;
    size_t n_seen = 0;
    for (size_t i = 0; i < n; i++) {
        struct vector_config config = vector_config_of_partners(&shapes[i].form->vector);
        if (config.sew && !shapes[i].left_out && vector_config_add(kernels->arena, &seen, &n_seen, &config))
            experiments_add_vector_scaffold(isa, &config, kernels);
    }
}

void experiments_add_forms(const struct isa *isa, struct shape *shapes, size_t n, struct experiment_list *first,
                           struct experiment_list *others) {
    unsigned most = 0;
    for (size_t i = 0; i < n; i++)
        most = shapes[i].form->sched_class > most ? shapes[i].form->sched_class : most;
    bool *is_seen = ARENA_ARRAY(first->arena, bool, most + 1);
    for (size_t i = 0; i < n; i++) {
        if (shapes[i].left_out)
            continue;
        bool *is_class_seen = &is_seen[shapes[i].form->sched_class];
        shapes[i].is_first = !*is_class_seen;
        experiments_add(isa, &shapes[i], !*is_class_seen, *is_class_seen ? others : first);
        *is_class_seen = true;
    }
}
