#include "analyzer/sim/pipeline.h"

#include "analyzer/sim/core.h"
#include "analyzer/sim/periodic.h"

#include <inttypes.h>

struct pipeline {
    struct arena arena; // holds this
    struct stash stash; // what one run needs
    const struct machine *machine;
    struct pipeline_options options;
    struct core *core;
    struct periodic periodic;
};

// Whether somebody has to see each cycle, also those in which nothing moves.
static bool counts_cycles(const struct core *core, uint64_t max_cycles) {
    const struct event_calls *wanted = &core->reporter.wanted;
    return max_cycles != 0 || wanted->cycle_begin || wanted->cycle_end || wanted->stalled || wanted->pressed;
}

static bool run(struct core *core, struct periodic *periodic, uint64_t max_cycles, struct fail *fail) {
    const struct core_ops *ops = core->ops;
    const bool may_leap = ops->wakes_at && !counts_cycles(core, max_cycles);
    do {
        if (max_cycles != 0 && core_cycles(core) >= max_cycles)
            return fail_set(fail, FAIL_WORK, "the simulation did not finish within %" PRIu64 " cycles: %s", max_cycles,
                            "give it more, or fewer iterations");
        uint64_t iterations = core->n_entered;
        core->has_moved = false;
        REPORT(&core->reporter, cycle_begin, core_cycles(core));
        ops->cycle(core);
        REPORT(&core->reporter, cycle_end, core_cycles(core));
        if (!core->has_moved && ops->why_stuck(core, fail))
            return false;
        core->now = may_leap && !core->has_moved ? ops->wakes_at(core) : core->now + 1;
        if (core->n_entered != iterations && periodic->is_on)
            periodic_look(periodic, core);
    } while (core_has_work(core));
    return true;
}

static uint64_t uops_of(const struct execution *execution) {
    uint64_t uops = 0;
    unsigned n = execution_length(execution);
    for (unsigned i = 0; i < n; i++)
        uops += execution_insn(execution, i)->cost->uops;
    return uops;
}

struct pipeline *pipeline_open(const struct core_ops *ops, const struct machine *machine,
                               const struct pipeline_options *options) {
    struct arena arena = {0};
    struct pipeline *pipeline = ARENA_NEW(&arena, struct pipeline);
    pipeline->core = core_new(&arena, ops);
    pipeline->arena = arena;
    pipeline->machine = machine;
    pipeline->options = *options;
    return pipeline;
}

void pipeline_close(struct pipeline *pipeline) {
    if (pipeline == NULL)
        return;
    stash_free(&pipeline->stash);
    struct arena arena = pipeline->arena;
    arena_free(&arena);
}

bool pipeline_simulate(struct pipeline *pipeline, const struct execution *execution,
                       struct event_listener *const *listeners, struct pipeline_result *result, struct fail *fail) {
    *result = (struct pipeline_result){0};
    if (execution_length(execution) == 0)
        return fail_set(fail, FAIL_INPUT, "there is no instruction to simulate");
    struct core *core = pipeline->core;
    const struct core_run what = {
        .machine = pipeline->machine, .execution = execution, .options = &pipeline->options, .listeners = listeners};
    core_start(core, &what, &pipeline->stash);
    periodic_init(&pipeline->periodic, core, &pipeline->options, &pipeline->stash);
    uint64_t iterations = core->total / core->n_steps;
    bool done = run(core, &pipeline->periodic, pipeline->options.max_cycles, fail);
    *result = (struct pipeline_result){
        .cycles = core_cycles(core),
        .instructions = core->next + core->reporter.skipped_insns,
        .uops = uops_of(execution) * iterations,
        .walked_cycles = (uint64_t)core->now,
    };
    return done;
}
