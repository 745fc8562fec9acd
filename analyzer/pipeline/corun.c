#include "analyzer/pipeline/corun.h"

#include "analyzer/pipeline/simulation.h"

#include <inttypes.h>

struct core {
    struct arena arena;
    struct machine half; // what one thread has
    struct simulation threads[CORUN_THREADS];
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

static void halve(struct core *core, const struct machine *whole) {
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

static unsigned larger(unsigned a, unsigned b) {
    return a > b ? a : b;
}

// Pipes fit for the instructions of both blocks.
static void share_resources(struct core *core) {
    struct simulation *a = &core->threads[0], *b = &core->threads[1];
    struct simulation_plan both = a->plan;
    both.groups |= b->plan.groups;
    both.max_uses = larger(both.max_uses, b->plan.max_uses);
    both.longest_use = larger(both.longest_use, b->plan.longest_use);
    resource_unit_init(a->resources, &both, a->heard.issued, &core->stashes[0]);
    b->resources = b->scheduler.resources = a->resources;
}

static void start_threads(struct core *core, const struct block *const blocks[], const struct pipeline_options *options,
                          struct event_listener *const *listeners) {
    struct pipeline_options walking = *options;
    walking.walk_all = true;
    for (unsigned t = 0; t < CORUN_THREADS; t++) {
        core->threads[t].is_shared = true;
        simulation_start(&core->threads[t], &core->half, &walking, blocks[t], t == 0 ? listeners : NULL,
                         &core->stashes[t]);
    }
    core->threads[1].total = UINT64_MAX / 4; // without end
    share_resources(core);
}

static bool is_in_execution(const struct simulation *sim) {
    const struct in_order_stage *stage = &sim->in_order;
    for (unsigned i = 0; i < stage->n_issued; i++)
        if (sim->flight.slots[stage->issued_slots[i]].done_cycle > sim->now)
            return true;
    return false;
}

static void cycle_both_in_order(struct simulation *first, struct simulation *second) {
    unsigned width = first->machine->dispatch_width;
    bool is_one_alone = first->machine->threads_take_turns && !is_in_execution(first) && !is_in_execution(second);
    first->in_order.taken = 0;
    cycle_in_order(first);
    unsigned used = first->in_order.used;
    second->in_order.taken = (is_one_alone && used != 0) || used > width ? width : used;
    cycle_in_order(second);
}

// Who has fewer instructions in flight dispatches: otherwise one that waits for long would fill the schedulers, and
// keep out the other. (The policy ICOUNT of Tullsen et al., Exploiting Choice, ISCA 1996.)
static void cycle_both_out_of_order(struct simulation *first, struct simulation *second) {
    retire_cycle(first);
    retire_cycle(second);
    execute_cycle(first);
    execute_cycle(second);
    bool is_second_behind = second->reorder_buffer.used < first->reorder_buffer.used;
    struct simulation *next = is_second_behind ? second : first, *other = is_second_behind ? first : second;
    dispatch_all(next);
    if (next->dispatch_room == next->dispatch_width)
        dispatch_all(other);
}

static void cycle_both(struct core *core) {
    struct simulation *threads = core->threads;
    unsigned turn = (unsigned)threads[0].now % CORUN_THREADS;
    struct simulation *first = &threads[turn], *second = &threads[CORUN_THREADS - 1 - turn];
    TELL(&threads[0], cycle_begin, (uint64_t)threads[0].now);
    if (core->half.in_order)
        cycle_both_in_order(first, second);
    else
        cycle_both_out_of_order(first, second);
    TELL(&threads[0], cycle_end, (uint64_t)threads[0].now);
    threads[0].now++;
    threads[1].now++;
}

// An instruction that can never be issued is found here; with an endless co-runner it would be waited for without end.
static bool each_runs_alone(const struct core *core, const struct block *const blocks[],
                            const struct pipeline_options *options, struct fail *fail) {
    struct pipeline_options once = *options;
    struct pipeline_result result;
    once.iterations = 1;
    for (unsigned t = 0; t < CORUN_THREADS; t++)
        if (!pipeline_run(&core->half, blocks[t], &once, NULL, &result, fail))
            return false;
    return true;
}

static bool run_threads(struct core *core, uint64_t max_cycles, struct fail *fail) {
    struct simulation *measured = &core->threads[0];
    while (simulation_has_work(measured)) {
        if (max_cycles != 0 && (uint64_t)measured->now >= max_cycles)
            return fail_set(fail, FAIL_WORK, "the two threads did not finish within %" PRIu64 " cycles", max_cycles);
        cycle_both(core);
    }
    return true;
}

bool corun_run(const struct machine *machine, const struct block *const blocks[CORUN_THREADS],
               const struct pipeline_options *options, struct event_listener *const *listeners,
               struct corun_result *result, struct fail *fail) {
    struct arena arena = {0};
    struct core *core = ARENA_NEW(&arena, struct core);
    halve(core, machine);
    bool is_done = each_runs_alone(core, blocks, options, fail);
    *result = (struct corun_result){.cycles = 0};
    if (is_done) {
        start_threads(core, blocks, options, listeners);
        is_done = run_threads(core, options->max_cycles, fail);
        *result = (struct corun_result){(uint64_t)core->threads[0].now, {core->threads[0].next, core->threads[1].next}};
    }
    for (unsigned t = 0; t < CORUN_THREADS; t++)
        stash_free(&core->stashes[t]);
    arena_free(&core->arena);
    arena_free(&arena);
    return is_done;
}
