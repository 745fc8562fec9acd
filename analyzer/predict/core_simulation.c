#include "analyzer/predict/core_simulation.h"

#include "analyzer/predict/core_plan.h"
#include "analyzer/sim/core/cpu_core.h"

static uint64_t slots_of(const struct core_plan *plan) {
    uint64_t slots = 0;
    for (unsigned i = 0; i < plan->n; i++)
        slots += plan->insns[i].slots;
    return slots;
}

static void replace_latencies(struct core_plan *plan, const unsigned *latencies) {
    for (unsigned i = 0; latencies && i < plan->n_turns * plan->n; i++)
        if (latencies[i % plan->n])
            plan->accesses[i].latency = ticks_of(latencies[i % plan->n]);
}

bool core_simulate(const struct bounds_request *request, const struct core_simulation *simulation,
                   struct pipeline_result *result, struct fail *fail) {
    struct arena arena = {0};
    struct bounds bounds;
    *result = (struct pipeline_result){0};
    struct core_plan *plan = core_plan_find(&arena, request, &bounds, fail);
    bool is_done = false;
    if (plan) {
        replace_latencies(plan, simulation->load_latencies);
        const struct pipeline_options options = {.iterations = simulation->iterations,
                                                 .walk_iterations = simulation->walk_iterations,
                                                 .max_cycles = simulation->max_cycles,
                                                 .walk_all = simulation->walk_all,
                                                 .relaxed = simulation->relaxed,
                                                 .plan = plan};
        struct pipeline *pipeline = pipeline_open(&cpu_core, request->cpu->machine, &options);
        is_done = pipeline_simulate(pipeline, EXECUTION_OF(request->block), simulation->listeners, result, fail);
        result->uops = slots_of(plan) * (result->instructions / plan->n);
        pipeline_close(pipeline);
    }
    arena_free(&arena);
    return is_done;
}
