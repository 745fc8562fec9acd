#include "survey/experiments/kernel_plan.h"

#include "survey/experiments/experiments.h"
#include "survey/experiments/slots.h"

#include <string.h>

// Copies that a program has: a latency does not depend on their number, but a throughput does where the loop's own
// instructions take part of it.
enum { LATENCY_INSTRUCTIONS = 96 };

// Stores go to lines of their own, so that none merge. Loads stay in one: where two of a Zen 4's meet in one way of its
// first-level cache, they take longer, and it depends on the process whether they do (docs/how-it-works/survey.md).
static enum program_placement placement_of(const struct kernel *kernel) {
    bool is_load = kernel->n_places && strcmp(kernel->places[0].name, EXPERIMENTS_LOAD) == 0;
    return is_load ? PLACEMENT_SAME_LINE : PLACEMENT_OWN_LINES;
}

// A kernel to plan.
struct planning {
    struct arena *arena;
    struct plan *plan;
    const struct kernel *kernel;
    const struct experiment_key *key;
    struct kernel_extras extras;
};

static const struct experiment *add(const struct planning *p, const struct gen_request *request, struct fail *fail) {
    return plan_add_expansion(p->arena, p->plan, p->kernel, request, fail);
}

static bool plan_latency(const struct planning *p, struct fail *fail) {
    struct gen_request request = {
        .mode = PROGRAM_LATENCY, .form = PROGRAM_UNROLLED, .unroll = LATENCY_INSTRUCTIONS / p->kernel->n_instructions};
    for (request.arc = 0; request.arc < p->kernel->n_arcs; request.arc++)
        if (!add(p, &request, fail))
            return false;
    return true;
}

static bool plan_extras(const struct planning *p, unsigned streams, struct fail *fail) {
    struct gen_request looped = {
        .mode = PROGRAM_THROUGHPUT, .form = PROGRAM_LOOPED, .placement = placement_of(p->kernel)};
    struct gen_request half = looped;
    half.form = PROGRAM_UNROLLED;
    half.streams = streams / 2;
    return (!p->extras.has_loop || add(p, &looped, fail)) &&
           (!p->extras.has_half || streams < 2 || add(p, &half, fail));
}

static bool plan_throughput(const struct planning *p, struct fail *fail) {
    struct gen_request request = {
        .mode = PROGRAM_THROUGHPUT, .form = PROGRAM_UNROLLED, .placement = placement_of(p->kernel)};
    const struct experiment *first = add(p, &request, fail);
    bool has_another = p->kernel->n_places && request.placement != PLACEMENT_SAME_LINE;
    request.placement = PLACEMENT_SAME_ADDRESS;
    return first && (!has_another || add(p, &request, fail)) && plan_extras(p, first->program.streams, fail);
}

// One stream, so each copy waits for the one before. Also as a loop: some cores rename memory, or not, as the code's
// length and the number of its copies have it.
static bool plan_memory(const struct planning *p, struct fail *fail) {
    struct gen_request request = {
        .mode = PROGRAM_THROUGHPUT, .form = PROGRAM_UNROLLED, .streams = 1, .placement = PLACEMENT_SAME_ADDRESS};
    struct gen_request looped = request;
    looped.form = PROGRAM_LOOPED;
    return add(p, &request, fail) && add(p, &looped, fail);
}

static bool plan_places(const struct planning *p, struct fail *fail) {
    struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_UNROLLED, .placement = p->key->placement};
    return add(p, &request, fail);
}

// Fillers alone are among them: they are the unit of slots. They are loops. In long unrolled code, what decodes
// instructions may be the limit (docs/how-it-works/survey.md).
static bool plan_fillers(const struct planning *p, struct fail *fail) {
    struct gen_request request = {.mode = PROGRAM_THROUGHPUT,
                                  .form = PROGRAM_LOOPED,
                                  .streams = SLOTS_COPIES,
                                  .placement = placement_of(p->kernel)};
    if (add(p, &request, fail))
        return true;
    fail_clear(fail);
    request.streams = 0;
    return add(p, &request, fail);
}

static bool plan_filled(const struct planning *p, struct fail *fail) {
    struct gen_request request = {
        .mode = PROGRAM_THROUGHPUT, .form = PROGRAM_UNROLLED, .placement = placement_of(p->kernel)};
    if (!add(p, &request, fail))
        return false;
    request.form = PROGRAM_LOOPED;
    return !p->extras.has_loop || add(p, &request, fail);
}

static bool plan_mixture(const struct planning *p, struct fail *fail) { // the body has all copies
    struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_LOOPED, .streams = 1};
    return add(p, &request, fail);
}

// Kinds without a row: a kernel with chains is a latency, any other a throughput.
static bool (*const plans[EXPERIMENT_N_KINDS])(const struct planning *, struct fail *) = {
    [EXPERIMENT_MEMORY] = plan_memory,  [EXPERIMENT_PLACES] = plan_places, [EXPERIMENT_SLOTS] = plan_fillers,
    [EXPERIMENT_FILLER] = plan_fillers, [EXPERIMENT_FILLED] = plan_filled, [EXPERIMENT_MIXTURE] = plan_mixture,
    [EXPERIMENT_PROBE] = plan_mixture,
};

void kernel_plan_add(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                     const struct experiment_key *key, struct kernel_extras extras) {
    const struct planning planning = {arena, plan, kernel, key, extras};
    struct fail fail = {0};
    bool is_added = kernel->n_arcs     ? plan_latency(&planning, &fail)
                    : plans[key->kind] ? plans[key->kind](&planning, &fail)
                                       : plan_throughput(&planning, &fail);
    if (!is_added)
        plan_refuse(arena, plan, &fail);
}
