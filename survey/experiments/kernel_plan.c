#include "survey/experiments/kernel_plan.h"

#include "survey/experiments/experiments.h"
#include "survey/experiments/slots.h"

#include <string.h>

// Copies that a program has: a latency does not depend on their number, but a throughput does where the loop's own
// instructions take part of it.
enum { LATENCY_INSTRUCTIONS = 96 };

static bool is_throughput(const struct kernel *kernel) {
    return kernel->n_arcs == 0;
}

// Stores go to lines of their own, so that none merge. Loads stay in one: where two of a Zen 4's meet in one way of its
// first-level cache, they take longer, and it depends on the process whether they do (docs/how-it-works/survey.md).
static enum program_placement placement_of(const struct kernel *kernel) {
    bool is_load = kernel->n_places && strcmp(kernel->places[0].name, EXPERIMENTS_LOAD) == 0;
    return is_load ? PLACEMENT_SAME_LINE : PLACEMENT_OWN_LINES;
}

static bool plan_extras(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                        struct kernel_extras extras, unsigned streams, struct fail *fail) {
    struct gen_request looped = {.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_LOOPED, .placement = placement_of(kernel)},
                       half = looped;
    half.form = PROGRAM_UNROLLED;
    half.streams = streams / 2;
    return (!extras.has_loop || plan_add_expansion(arena, plan, kernel, &looped, fail)) &&
           (!extras.has_half || streams < 2 || plan_add_expansion(arena, plan, kernel, &half, fail));
}

// Fillers alone are among them: they are the unit of slots. They are loops. In long unrolled code, what decodes
// instructions may be the limit: of a thousand, a Golden Cove takes 2.5 slots for vplzcntq of a load, with another
// value in each process, and 2.1 in a loop.
static bool plan_fillers(struct arena *arena, struct plan *plan, const struct kernel *kernel, struct fail *fail) {
    struct gen_request request = {
        .mode = PROGRAM_THROUGHPUT, .form = PROGRAM_LOOPED, .streams = SLOTS_COPIES, .placement = placement_of(kernel)};
    if (plan_add_expansion(arena, plan, kernel, &request, fail))
        return true;
    fail_clear(fail);
    request.streams = 0;
    return plan_add_expansion(arena, plan, kernel, &request, fail);
}

static bool plan_filled(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                        struct kernel_extras extras, struct fail *fail) {
    struct gen_request request = {
        .mode = PROGRAM_THROUGHPUT, .form = PROGRAM_UNROLLED, .placement = placement_of(kernel)};
    if (!plan_add_expansion(arena, plan, kernel, &request, fail))
        return false;
    request.form = PROGRAM_LOOPED;
    return !extras.has_loop || plan_add_expansion(arena, plan, kernel, &request, fail);
}

void kernel_plan_add(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                     const struct experiment_key *key, struct kernel_extras extras) {
    struct gen_request request = {.form = PROGRAM_UNROLLED};
    struct fail fail = {0};
    bool is_added = true;
    if (!is_throughput(kernel)) {
        request.mode = PROGRAM_LATENCY;
        request.unroll = LATENCY_INSTRUCTIONS / kernel->n_instructions;
        for (request.arc = 0; request.arc < kernel->n_arcs && is_added; request.arc++)
            is_added = plan_add_expansion(arena, plan, kernel, &request, &fail);
    } else if (key->kind == EXPERIMENT_MEMORY) { // one stream, so each copy waits for the one before
        request.mode = PROGRAM_THROUGHPUT;
        request.streams = 1;
        request.placement = PLACEMENT_SAME_ADDRESS;
        is_added = plan_add_expansion(arena, plan, kernel, &request, &fail);
        // Some cores rename memory, or not, as the code's length and the number of its copies have it.
        request.form = PROGRAM_LOOPED;
        is_added = is_added && plan_add_expansion(arena, plan, kernel, &request, &fail);
    } else if (key->kind == EXPERIMENT_PLACES) {
        request.mode = PROGRAM_THROUGHPUT;
        request.placement = key->placement;
        is_added = plan_add_expansion(arena, plan, kernel, &request, &fail);
    } else if (key->kind == EXPERIMENT_SLOTS || key->kind == EXPERIMENT_FILLER) {
        is_added = plan_fillers(arena, plan, kernel, &fail);
    } else if (key->kind == EXPERIMENT_FILLED) {
        is_added = plan_filled(arena, plan, kernel, extras, &fail);
    } else if (experiment_is_mixture(key)) { // the body has all copies
        request.mode = PROGRAM_THROUGHPUT;
        request.form = PROGRAM_LOOPED;
        request.streams = 1;
        is_added = plan_add_expansion(arena, plan, kernel, &request, &fail);
    } else {
        request.mode = PROGRAM_THROUGHPUT;
        request.placement = placement_of(kernel);
        const struct experiment *first = plan_add_expansion(arena, plan, kernel, &request, &fail);
        is_added = first;
        bool has_another = kernel->n_places && request.placement != PLACEMENT_SAME_LINE;
        request.placement = PLACEMENT_SAME_ADDRESS;
        if (has_another && is_added)
            is_added = plan_add_expansion(arena, plan, kernel, &request, &fail);
        if (is_added)
            is_added = plan_extras(arena, plan, kernel, extras, first->program.streams, &fail);
    }
    if (!is_added)
        plan_refuse(arena, plan, &fail);
}
