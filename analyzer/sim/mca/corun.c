#include "analyzer/sim/mca/corun.h"

#include "analyzer/sim/core.h"
#include "analyzer/sim/mca/mca.h"

#include <inttypes.h>

struct shared_core {
    struct arena arena;
    struct machine half; // what one thread has
    struct core *threads[CORUN_THREADS];
    struct stash stashes[CORUN_THREADS];
};

static unsigned half_of(unsigned number) {
    return (number + 1) / 2;
}

// Half of a queue, also where its size is that of a resource's buffer.
static unsigned half_queue(const struct machine *machine, unsigned size, unsigned resource) {
    int buffer = machine->resources[resource].buffer_size;
    return half_of(size == 0 && resource != 0 && buffer > 0 ? (unsigned)buffer : size);
}

static void halve(struct shared_core *core, const struct machine *whole) {
    struct machine *half = &core->half;
    *half = *whole;
    half->rob_size = half_of(whole->rob_size);
    half->load_queue = half_queue(whole, whole->load_queue, whole->load_queue_resource);
    half->store_queue = half_queue(whole, whole->store_queue, whole->store_queue_resource);
    struct register_file *files = ARENA_ARRAY(&core->arena, struct register_file, whole->n_register_files);
    for (unsigned f = 0; f < whole->n_register_files; f++) {
        files[f] = whole->register_files[f];
        files[f].n_physical = half_of(files[f].n_physical);
    }
    half->register_files = files;
}

static void start_threads(struct shared_core *core, const struct execution *const executions[],
                          const struct pipeline_options *options, struct event_listener *const *listeners) {
    const struct core_ops *ops = mca_core_of(&core->half);
    for (unsigned t = 0; t < CORUN_THREADS; t++) {
        const struct core_run run = {.machine = &core->half,
                                     .execution = executions[t],
                                     .options = options,
                                     .listeners = t == 0 ? listeners : NULL,
                                     .is_shared = true};
        core->threads[t] = core_new(&core->arena, ops);
        core_start(core->threads[t], &run, &core->stashes[t]);
    }
    core->threads[1]->total = UINT64_MAX / 4; // without end
    ops->pair(core->threads[0], core->threads[1], &core->stashes[0]);
}

static void cycle_both(struct shared_core *core) {
    struct core *measured = core->threads[0];
    unsigned turn = (unsigned)measured->now % CORUN_THREADS;
    REPORT(&measured->reporter, cycle_begin, (uint64_t)measured->now);
    measured->ops->cycle_pair(core->threads[turn], core->threads[CORUN_THREADS - 1 - turn]);
    REPORT(&measured->reporter, cycle_end, (uint64_t)measured->now);
    measured->now++;
    core->threads[1]->now++;
}

// An instruction that can never be issued is found here; with an endless co-runner it would be waited for without end.
static bool each_runs_alone(const struct shared_core *core, const struct execution *const executions[],
                            const struct pipeline_options *options, struct fail *fail) {
    struct pipeline_options once = *options;
    struct pipeline_result result;
    once.iterations = 1;
    for (unsigned t = 0; t < CORUN_THREADS; t++)
        if (!mca_core_run(&core->half, executions[t], &once, NULL, &result, fail))
            return false;
    return true;
}

static bool run_threads(struct shared_core *core, uint64_t max_cycles, struct fail *fail) {
    struct core *measured = core->threads[0];
    while (core_has_work(measured)) {
        if (max_cycles != 0 && (uint64_t)measured->now >= max_cycles)
            return fail_set(fail, FAIL_WORK, "the two threads did not finish within %" PRIu64 " cycles", max_cycles);
        cycle_both(core);
    }
    return true;
}

bool corun_run(const struct machine *machine, const struct execution *const executions[CORUN_THREADS],
               const struct pipeline_options *options, struct event_listener *const *listeners,
               struct corun_result *result, struct fail *fail) {
    struct arena arena = {0};
    struct shared_core *core = ARENA_NEW(&arena, struct shared_core);
    halve(core, machine);
    bool is_done = each_runs_alone(core, executions, options, fail);
    *result = (struct corun_result){.cycles = 0};
    if (is_done) {
        start_threads(core, executions, options, listeners);
        is_done = run_threads(core, options->max_cycles, fail);
        *result =
            (struct corun_result){(uint64_t)core->threads[0]->now, {core->threads[0]->next, core->threads[1]->next}};
    }
    for (unsigned t = 0; t < CORUN_THREADS; t++)
        stash_free(&core->stashes[t]);
    arena_free(&core->arena);
    arena_free(&arena);
    return is_done;
}
