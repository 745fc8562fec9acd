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

// A run of half of the iterations, begun with the whole one. It is left where it parts from that, and only walked to
// its end where nothing repeats.
struct half {
    uint64_t total; // instructions; 0: it is not looked for
    struct core *core;
};

static void half_look(struct half *half, const struct core *core, struct stash *stash) {
    if (!half->total || !core->ops->nears(core, half->total))
        return;
    half->core = core->ops->fork(core, half->total, stash);
    half->total = 0;
}

static bool run(struct core *core, struct periodic *periodic, struct half *half, struct stash *stash,
                const struct pipeline_options *options, struct fail *fail) {
    const struct core_ops *ops = core->ops;
    const uint64_t max_cycles = options->max_cycles;
    const bool may_leap = ops->wakes_at && !counts_cycles(core, max_cycles);
    do {
        if (max_cycles != 0 && core_cycles(core) >= max_cycles)
            return fail_set(fail, FAIL_WORK, "the simulation did not finish within %" PRIu64 " cycles: %s", max_cycles,
                            "give it more, or fewer iterations");
        uint64_t iterations = core->n_entered;
        core->has_moved = false;
        half_look(half, core, stash);
        REPORT(&core->reporter, cycle_begin, core_cycles(core));
        ops->cycle(core);
        REPORT(&core->reporter, cycle_end, core_cycles(core));
        if (core->is_settled)
            return true;
        if (!core->has_moved && ops->why_stuck(core, fail))
            return false;
        core->now = may_leap && !core->has_moved ? ops->wakes_at(core) : core->now + 1;
        if (core->n_entered != iterations && periodic->is_on)
            periodic_look(periodic, core);
        if (core->reporter.skipped_insns) {
            *half = (struct half){.total = 0};
            if (options->until_repeated)
                return true;
        }
    } while (core_has_work(core));
    return true;
}

static uint64_t half_finish(struct core *core, struct fail *fail) {
    struct periodic nothing = {.is_on = false};
    struct half none = {.total = 0};
    const struct pipeline_options options = {.max_cycles = 0};
    return run(core, &nothing, &none, NULL, &options, fail) ? core_cycles(core) : 0;
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
    struct half half = {.total = pipeline->options.halves && core->ops->fork ? iterations / 2 * core->n_steps : 0};
    bool done = run(core, &pipeline->periodic, &half, &pipeline->stash, &pipeline->options, fail);
    const uint64_t half_cycles = done && half.core && !core->is_settled ? half_finish(half.core, fail) : 0;
    *result = (struct pipeline_result){
        .cycles = core_cycles(core),
        .instructions = core->next + core->reporter.skipped_insns,
        .uops = uops_of(execution) * iterations,
        .is_settled = core->is_settled,
        .half_cycles = half_cycles,
        .walked_cycles = (uint64_t)core->now,
    };
    return done;
}
