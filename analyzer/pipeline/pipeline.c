#include "analyzer/pipeline/pipeline.h"

#include "analyzer/pipeline/simulation.h"
#include "analyzer/pipeline/stuck.h"

#include <assert.h>
#include <inttypes.h>

// Entries of a reorder buffer whose size is not known: more than any instruction window ever built.
enum { UNKNOWN_ROB_SIZE = 1 << 14, DEFAULT_ITERATIONS = 100 };

struct pipeline {
    struct arena arena; // holds this
    struct stash stash; // what one run needs
    const struct machine *machine;
    struct pipeline_options options;
    struct simulation sim;
};

static unsigned or_else(unsigned value, unsigned otherwise) {
    return value != 0 ? value : otherwise;
}

// The buffer that a queue is modelled by tells its size, where neither the options nor the machine do.
static unsigned queue_size(const struct machine *machine, unsigned option, unsigned queue, unsigned resource) {
    if (option != 0 || queue != 0 || resource == 0)
        return or_else(option, queue);
    int size = machine->resources[resource].buffer_size;
    return size > 0 ? (unsigned)size : 0;
}

static uint64_t slots_in_order(const struct simulation *sim) {
    uint64_t longest = sim->plan.max_latency;
    for (unsigned i = 0; i < sim->plan.n_insns; i++)
        if (sim->plan.insns[i].uops > longest)
            longest = sim->plan.insns[i].uops;
    return (longest + 2) * sim->plan.most_per_cycle;
}

static void init_queues(struct simulation *sim, const struct pipeline_options *options) {
    const struct machine *machine = sim->machine;
    sim->memory = (struct memory_unit){
        .load_queue = queue_size(machine, options->load_queue, machine->load_queue, machine->load_queue_resource),
        .store_queue = queue_size(machine, options->store_queue, machine->store_queue, machine->store_queue_resource),
        .assume_alias = options->assume_alias,
    };
    sim->queue = (struct micro_op_queue){
        .size = machine->in_order ? 0 : options->micro_op_queue,
        .throughput = options->decoder_throughput,
    };
}

static void init_units(struct simulation *sim, const struct pipeline_options *options, struct stash *stash) {
    const struct machine *machine = sim->machine;
    unsigned rob_size = or_else(machine->rob_size, UNKNOWN_ROB_SIZE);
    const struct plan_options planned = {
        .dispatch_width = sim->dispatch_width,
        .rob_size = rob_size,
        .default_file_size = options->register_file_size,
        .resource_segments = options->resource_segments,
        .has_segments = sim->is_shared,
    };
    plan_build(&sim->plan, machine, sim->block, &planned, stash);
    uint64_t in_flight = machine->in_order ? slots_in_order(sim) : rob_size;
    // Retired instructions stay readable until no forwarding path is slow enough to ask for them.
    uint64_t history = (uint64_t)(sim->plan.max_delay + 1) * sim->plan.most_per_cycle;
    bool has_dependences = !machine->in_order && (sim->heard.critical || sim->heard.pressed);
    flight_init(&sim->flight, &sim->plan, in_flight + history, has_dependences, stash);
    register_unit_init(&sim->registers, &sim->plan, options->register_file_size, stash);
    sim->reorder_buffer = (struct reorder_buffer){
        .size = rob_size, .retire_width = or_else(options->retire_width, machine->retire_width)};
    init_queues(sim, options);
    memory_unit_init(&sim->memory, &sim->flight, in_flight, stash);
    sim->resources = STASH_ARRAY(stash, struct resource_unit, 1);
    resource_unit_init(sim->resources, &sim->plan, sim->heard.issued, stash);
    sim->scheduler.flight = &sim->flight;
    sim->scheduler.resources = sim->resources;
    sim->scheduler.memory = &sim->memory;
    bool is_heard = sim->heard.pending || sim->heard.ready || sim->heard.executed;
    scheduler_init(&sim->scheduler, in_flight, is_heard, stash);
    sim->in_order = (struct in_order_stage){.issued_slots = STASH_ARRAY(stash, uint32_t, in_flight)};
    sim->uses = STASH_ARRAY(stash, struct event_use, sim->plan.max_uses);
    sim->no_registers = STASH_ZEROED(stash, unsigned, machine->n_register_files);
    pressure_init(sim, stash);
}

#define NOTE_HEARD(heard, listener, call) (heard)->call |= (listener)->call != NULL

static void note_heard(struct heard *heard, const struct event_listener *listener) {
    NOTE_HEARD(heard, listener, cycle_begin);
    NOTE_HEARD(heard, listener, cycle_end);
    NOTE_HEARD(heard, listener, dispatched);
    NOTE_HEARD(heard, listener, pending);
    NOTE_HEARD(heard, listener, ready);
    NOTE_HEARD(heard, listener, issued);
    NOTE_HEARD(heard, listener, executed);
    NOTE_HEARD(heard, listener, retired);
    NOTE_HEARD(heard, listener, stalled);
    NOTE_HEARD(heard, listener, marked);
    NOTE_HEARD(heard, listener, repeated);
    NOTE_HEARD(heard, listener, buffers_taken);
    NOTE_HEARD(heard, listener, buffers_freed);
    NOTE_HEARD(heard, listener, moved);
    NOTE_HEARD(heard, listener, critical);
    NOTE_HEARD(heard, listener, pressed);
}

void simulation_start(struct simulation *sim, const struct machine *machine, const struct pipeline_options *options,
                      const struct block *block, struct event_listener *const *listeners, struct stash *stash) {
    static struct event_listener *const nobody[] = {NULL};
    uint64_t iterations = options->iterations != 0 ? options->iterations : DEFAULT_ITERATIONS;
    sim->machine = machine;
    sim->block = block;
    sim->listeners = listeners != NULL ? listeners : nobody;
    sim->heard = (struct heard){.marked = false};
    for (struct event_listener *const *l = sim->listeners; *l != NULL; l++)
        note_heard(&sim->heard, *l);
    sim->now = 0;
    sim->next = sim->skipped_cycles = sim->skipped_insns = sim->n_forgotten = 0;
    sim->next_position = sim->carried_uops = 0;
    sim->n_entered = 0;
    sim->total = iterations * block->n_insns;
    sim->mistakes_of_llvm_mca = options->mistakes_of_llvm_mca;
    sim->branch_penalty = options->branch_penalty;
    sim->dispatch_width = or_else(options->dispatch_width, machine->dispatch_width);
    stash_reset(stash);
    init_units(sim, options, stash);
    sim->next_plan = sim->plan.insns;
    periodic_init(sim, options, stash);
}

inline void dispatch_all(struct simulation *sim) {
    dispatch_cycle(sim);
    if (sim->queue.size != 0)
        micro_op_queue_cycle(sim);
    else
        while (sim->next < sim->total && dispatch_can(sim))
            dispatch(sim);
}

__attribute__((flatten)) static void cycle_out_of_order(struct simulation *sim) {
    retire_cycle(sim);
    execute_cycle(sim);
    dispatch_all(sim);
    if (sim->pressure.criticals != NULL)
        tell_pressure(sim);
}

bool simulation_has_work(const struct simulation *sim) {
    if (sim->next < sim->total)
        return true;
    return sim->machine->in_order ? in_order_has_work(sim) : !reorder_buffer_is_empty(&sim->reorder_buffer);
}

static uint64_t cycles_so_far(const struct simulation *sim) {
    return (uint64_t)sim->now + sim->skipped_cycles;
}

static bool run(struct simulation *sim, uint64_t max_cycles, struct fail *fail) {
    do {
        if (max_cycles != 0 && cycles_so_far(sim) >= max_cycles)
            return fail_set(fail, FAIL_WORK, "the simulation did not finish within %" PRIu64 " cycles: %s", max_cycles,
                            "give it more, or fewer iterations");
        uint64_t iterations = sim->n_entered;
        sim->has_moved = false;
        TELL(sim, cycle_begin, cycles_so_far(sim));
        if (sim->machine->in_order)
            cycle_in_order(sim);
        else
            cycle_out_of_order(sim);
        TELL(sim, cycle_end, cycles_so_far(sim));
        if (!sim->has_moved && simulation_is_stuck(sim))
            return simulation_tell_stuck(sim, fail);
        sim->now++;
        if (sim->n_entered != iterations && sim->periodic.is_on)
            periodic_look(sim);
    } while (simulation_has_work(sim));
    return true;
}

static uint64_t uops_of(const struct block *block) {
    uint64_t uops = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        uops += block->insns[i].uops;
    return uops;
}

struct pipeline *pipeline_open(const struct machine *machine, const struct pipeline_options *options) {
    assert(machine->dispatch_width != 0 && machine->n_register_files != 0);
    struct arena arena = {0};
    struct pipeline *pipeline = ARENA_NEW(&arena, struct pipeline);
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

bool pipeline_simulate(struct pipeline *pipeline, const struct block *block, struct event_listener *const *listeners,
                       struct pipeline_result *result, struct fail *fail) {
    *result = (struct pipeline_result){0};
    if (block->n_insns == 0)
        return fail_set(fail, FAIL_INPUT, "there is no instruction to simulate");
    struct simulation *sim = &pipeline->sim;
    simulation_start(sim, pipeline->machine, &pipeline->options, block, listeners, &pipeline->stash);
    uint64_t iterations = sim->total / block->n_insns;
    bool done = run(sim, pipeline->options.max_cycles, fail);
    *result = (struct pipeline_result){
        .cycles = cycles_so_far(sim),
        .instructions = sim->next + sim->skipped_insns,
        .uops = uops_of(block) * iterations,
        .walked_cycles = (uint64_t)sim->now,
    };
    return done;
}

bool pipeline_run(const struct machine *machine, const struct block *block, const struct pipeline_options *options,
                  struct event_listener *const *listeners, struct pipeline_result *result, struct fail *fail) {
    struct pipeline *pipeline = pipeline_open(machine, options);
    bool done = pipeline_simulate(pipeline, block, listeners, result, fail);
    pipeline_close(pipeline);
    return done;
}
