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

// A run of fewer iterations, begun with the whole one: it is left where it parts from that, and only walked to its end
// where somebody asks for its cycles.
struct part {
    uint64_t total; // instructions
    struct core *core;
    uint64_t cycles; // once it has been walked
};

struct parts {
    enum { PART_HALF, PART_FIRST, PART_FIRST_HALF, MOST_PARTS } order[MOST_PARTS]; // the shortest ones come first
    struct part of[MOST_PARTS];
    unsigned n, n_begun;
    uint64_t first_iterations;
};

static void parts_add(struct parts *parts, unsigned which, uint64_t total) {
    unsigned at = parts->n++;
    for (; at && parts->of[parts->order[at - 1]].total > total; at--)
        parts->order[at] = parts->order[at - 1];
    parts->order[at] = which;
    parts->of[which].total = total;
}

static void parts_init(struct parts *parts, const struct core *core, const struct pipeline_options *options) {
    const uint64_t iterations = core->total / core->n_steps, first = options->first_iterations;
    *parts = (struct parts){.first_iterations = first};
    if (!options->halves || !core->ops->fork)
        return;
    parts_add(parts, PART_HALF, iterations / 2 * core->n_steps);
    if (first && first < iterations) {
        parts_add(parts, PART_FIRST, first * core->n_steps);
        parts_add(parts, PART_FIRST_HALF, first / 2 * core->n_steps);
    }
}

static bool run(struct core *core, struct periodic *periodic, struct parts *parts, struct stash *stash,
                const struct pipeline_options *options, struct fail *fail);

// 0: it was not begun, or is stuck.
static uint64_t part_cycles(struct part *part, struct fail *fail) {
    struct periodic nothing = {.is_on = false};
    struct parts none = {.n = 0};
    const struct pipeline_options options = {.max_cycles = 0};
    if (part->core && !part->cycles && run(part->core, &nothing, &none, NULL, &options, fail))
        part->cycles = core_cycles(part->core);
    return part->cycles;
}

// Whether the second half of the first iterations takes as long as it has to, but for a cycle.
static bool is_first_enough(struct parts *parts, const struct pipeline_options *options, struct fail *fail) {
    const uint64_t all = part_cycles(&parts->of[PART_FIRST], fail),
                   half = part_cycles(&parts->of[PART_FIRST_HALF], fail);
    const uint64_t second_half = parts->first_iterations - parts->first_iterations / 2;
    const double counted = (double)second_half;
    return all && half && (double)(all - half) / counted * counted <= options->least_cycles * counted + 1;
}

// Begins the next part where that is near. Returns whether what is known then is enough.
static bool parts_look(struct parts *parts, struct core *core, const struct pipeline_options *options,
                       struct stash *stash, struct fail *fail) {
    const unsigned which = parts->order[parts->n_begun];
    if (!core->ops->nears(core, parts->of[which].total))
        return false;
    parts->of[which].core = core->ops->fork(core, parts->of[which].total, stash);
    parts->n_begun++;
    return which == PART_FIRST && is_first_enough(parts, options, fail);
}

static bool run(struct core *core, struct periodic *periodic, struct parts *parts, struct stash *stash,
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
        if (parts->n_begun < parts->n && parts_look(parts, core, options, stash, fail)) {
            core->settled_cycles = options->least_cycles;
            return true;
        }
        REPORT(&core->reporter, cycle_begin, core_cycles(core));
        ops->cycle(core);
        REPORT(&core->reporter, cycle_end, core_cycles(core));
        if (core->settled_cycles > 0)
            return true;
        if (!core->has_moved && ops->why_stuck(core, fail))
            return false;
        core->now = may_leap && !core->has_moved ? ops->wakes_at(core) : core->now + 1;
        if (core->n_entered != iterations && periodic->is_on)
            periodic_look(periodic, core);
        if (core->reporter.skipped_insns) {
            *parts = (struct parts){.n = 0};
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
    struct parts parts;
    parts_init(&parts, core, &pipeline->options);
    bool done = run(core, &pipeline->periodic, &parts, &pipeline->stash, &pipeline->options, fail);
    const uint64_t half_cycles = done && !(core->settled_cycles > 0) ? part_cycles(&parts.of[PART_HALF], fail) : 0;
    *result = (struct pipeline_result){
        .cycles = core_cycles(core),
        .instructions = core->next + core->reporter.skipped_insns,
        .uops = uops_of(execution) * iterations,
        .settled_cycles = core->settled_cycles,
        .half_cycles = half_cycles,
        .walked_cycles = (uint64_t)core->now,
    };
    return done;
}
