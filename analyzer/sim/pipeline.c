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

enum { MARK_FIRST_HALF, MARK_FIRST, MARK_HALF, MARK_ALL, N_MARKS };

// When so many instructions are no longer in flight, those of some of the iterations.
struct marks {
    uint64_t insns[N_MARKS];  // UINT64_MAX: nobody asks
    uint64_t cycles[N_MARKS]; // 0: they are
    uint64_t next;            // the fewest of those that are
};

static void marks_init(struct marks *marks, const struct core *core, const struct pipeline_options *options) {
    const uint64_t counted = options->counted_iterations, first = options->first_iterations;
    const uint64_t iterations[N_MARKS] = {first / 2, first, counted / 2, counted};
    *marks = (struct marks){.next = counted ? 0 : UINT64_MAX};
    for (unsigned i = 0; i < N_MARKS; i++)
        marks->insns[i] = iterations[i] ? iterations[i] * core->n_steps : UINT64_MAX;
}

// Whether the second half of the first iterations took as long as it has to, but for a cycle.
static bool is_first_enough(const struct marks *marks, const struct pipeline_options *options) {
    const uint64_t half = options->first_iterations / 2;
    const double counted = (double)(options->first_iterations - half);
    const double cycles = (double)(marks->cycles[MARK_FIRST] - marks->cycles[MARK_FIRST_HALF]);
    return options->least_cycles > 0 && marks->cycles[MARK_FIRST] && cycles <= options->least_cycles * counted + 1;
}

// Between two cycles. Returns whether what is known is enough.
static bool marks_look(struct marks *marks, struct core *core, const struct pipeline_options *options) {
    const uint64_t left = core->ops->oldest(core);
    if (left < marks->next)
        return false;
    marks->next = UINT64_MAX;
    for (unsigned i = 0; i < N_MARKS; i++) {
        if (!marks->cycles[i] && marks->insns[i] <= left)
            marks->cycles[i] = core_cycles(core);
        if (!marks->cycles[i] && marks->insns[i] < marks->next)
            marks->next = marks->insns[i];
    }
    if (is_first_enough(marks, options))
        core->settled_cycles = options->least_cycles;
    return core->settled_cycles > 0 || marks->cycles[MARK_ALL];
}

static bool run(struct core *core, struct periodic *periodic, struct marks *marks,
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
        REPORT(&core->reporter, cycle_begin, core_cycles(core));
        ops->cycle(core);
        REPORT(&core->reporter, cycle_end, core_cycles(core));
        if (core->settled_cycles > 0)
            return true;
        if (!core->has_moved && ops->why_stuck(core, fail))
            return false;
        core->now = may_leap && !core->has_moved ? ops->wakes_at(core) : core->now + 1;
        if (marks_look(marks, core, options))
            return true;
        if (core->n_entered != iterations && periodic->is_on)
            periodic_look(periodic, core);
        if (core->reporter.skipped_insns) {
            *marks = (struct marks){.next = UINT64_MAX};
            if (options->until_repeated)
                return true;
        }
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
    const uint64_t iterations = core->total / core->n_steps;
    struct marks marks;
    marks_init(&marks, core, &pipeline->options);
    bool done = run(core, &pipeline->periodic, &marks, &pipeline->options, fail);
    *result = (struct pipeline_result){
        .cycles = core_cycles(core),
        .instructions = core->next + core->reporter.skipped_insns,
        .uops = uops_of(execution) * iterations,
        .settled_cycles = core->settled_cycles,
        .half_cycles = marks.cycles[MARK_HALF],
        .walked_cycles = (uint64_t)core->now,
    };
    return done;
}
