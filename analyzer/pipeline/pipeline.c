#include "analyzer/pipeline/pipeline.h"

#include "analyzer/pipeline/simulation.h"
#include "analyzer/pipeline/stuck.h"

#include <assert.h>
#include <inttypes.h>

// Entries of a reorder buffer whose size is not known: more than any instruction window ever built.
enum { UNKNOWN_ROB_SIZE = 1 << 14, DEFAULT_ITERATIONS = 100 };

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
        if (sim->plan.insns[i].insn->uops > longest)
            longest = sim->plan.insns[i].insn->uops;
    return (longest + 2) * sim->plan.most_per_cycle;
}

static void init_units(struct simulation *sim, const struct pipeline_options *options, struct arena *arena) {
    const struct machine *machine = sim->machine;
    unsigned rob_size = or_else(machine->rob_size, UNKNOWN_ROB_SIZE);
    plan_build(&sim->plan, machine, sim->block, sim->dispatch_width, rob_size, arena);
    uint64_t in_flight = machine->in_order ? slots_in_order(sim) : rob_size;
    // Retired instructions stay readable until no forwarding path is slow enough to ask for them.
    uint64_t history = (uint64_t)(sim->plan.max_delay + 1) * sim->plan.most_per_cycle;
    flight_init(&sim->flight, &sim->plan, in_flight + history, arena);
    register_unit_init(&sim->registers, &sim->plan, options->register_file_size, arena);
    sim->reorder_buffer = (struct reorder_buffer){.size = rob_size, .retire_width = machine->retire_width};
    sim->memory = (struct memory_unit){
        .load_queue = queue_size(machine, options->load_queue, machine->load_queue, machine->load_queue_resource),
        .store_queue = queue_size(machine, options->store_queue, machine->store_queue, machine->store_queue_resource),
        .assume_alias = options->assume_alias,
    };
    memory_unit_init(&sim->memory, in_flight + 1, arena);
    resource_unit_init(&sim->resources, machine, arena);
    sim->scheduler = (struct scheduler){.flight = &sim->flight, .resources = &sim->resources, .memory = &sim->memory};
    scheduler_init(&sim->scheduler, in_flight, arena);
    sim->uses = ARENA_ARRAY(arena, struct event_use, sim->plan.max_uses);
    sim->no_registers = ARENA_ARRAY(arena, unsigned, machine->n_register_files);
}

static void init_simulation(struct simulation *sim, const struct machine *machine, const struct block *block,
                            const struct pipeline_options *options, struct arena *arena) {
    uint64_t iterations = options->iterations != 0 ? options->iterations : DEFAULT_ITERATIONS;
    *sim = (struct simulation){
        .machine = machine,
        .block = block,
        .total = iterations * block->n_insns,
        .mistakes_of_llvm = options->mistakes_of_llvm,
        .dispatch_width = or_else(options->dispatch_width, machine->dispatch_width),
    };
    init_units(sim, options, arena);
}

static void cycle_out_of_order(struct simulation *sim) {
    retire_cycle(sim);
    execute_cycle(sim);
    dispatch_cycle(sim);
    while (sim->next < sim->total && dispatch_can(sim, &sim->plan.insns[sim->next % sim->plan.n_insns]))
        dispatch(sim);
}

static bool has_work(const struct simulation *sim) {
    if (sim->next < sim->total)
        return true;
    return sim->machine->in_order ? in_order_has_work(sim) : !reorder_buffer_is_empty(&sim->reorder_buffer);
}

static bool run(struct simulation *sim, uint64_t max_cycles, struct fail *fail) {
    do {
        if (max_cycles != 0 && (uint64_t)sim->now >= max_cycles)
            return fail_set(fail, FAIL_WORK, "the simulation did not finish within %" PRIu64 " cycles: %s", max_cycles,
                            "give it more, or fewer iterations");
        sim->has_moved = false;
        TELL(sim, cycle_begin, (uint64_t)sim->now);
        if (sim->machine->in_order)
            cycle_in_order(sim);
        else
            cycle_out_of_order(sim);
        TELL(sim, cycle_end, (uint64_t)sim->now);
        if (!sim->has_moved && simulation_is_stuck(sim))
            return simulation_tell_stuck(sim, fail);
        sim->now++;
    } while (has_work(sim));
    return true;
}

static uint64_t uops_of(const struct block *block) {
    uint64_t uops = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        uops += block->insns[i].uops;
    return uops;
}

bool pipeline_run(const struct machine *machine, const struct block *block, const struct pipeline_options *options,
                  struct event_listener *const *listeners, struct pipeline_result *result, struct fail *fail) {
    static struct event_listener *const nobody[] = {NULL};
    *result = (struct pipeline_result){0};
    if (block->n_insns == 0)
        return fail_set(fail, FAIL_INPUT, "there is no instruction to simulate");
    assert(machine->dispatch_width != 0 && machine->n_register_files != 0);
    struct arena arena = {0};
    struct simulation *sim = ARENA_NEW(&arena, struct simulation);
    init_simulation(sim, machine, block, options, &arena);
    sim->listeners = listeners != NULL ? listeners : nobody;
    bool done = run(sim, options->max_cycles, fail);
    *result = (struct pipeline_result){
        .cycles = (uint64_t)sim->now,
        .instructions = sim->next,
        .uops = uops_of(block) * (sim->total / block->n_insns),
    };
    arena_free(&arena);
    return done;
}
