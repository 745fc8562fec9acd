#include "analyzer/sim/core/cpu_core.h"

#include "analyzer/sim/core/units.h"
#include "analyzer/sim/pipeline.h"

#include <assert.h>

// Windows whose size is not known, or does not matter, have this many entries.
enum { LARGE_WINDOW = 512, MOST_PLACES = 2 * LARGE_WINDOW };

static unsigned window_size(const struct units *units, enum cpu_parameter size, unsigned knob, unsigned largest) {
    const struct cpu *cpu = units->plan->cpu;
    bool is_known = cpu_knows(cpu, size) && !(units->relaxed & knob);
    return is_known && cpu_value(cpu, size) < largest ? (unsigned)cpu_value(cpu, size) : largest;
}

static unsigned places_for(unsigned slots) {
    unsigned places = 16; // instructions without a slot of their own take some, too
    while (places < slots + slots / 8 && places < MOST_PLACES)
        places *= 2;
    return places;
}

static void cpu_core_start(struct core *core, const struct pipeline_options *options, struct stash *stash) {
    struct units *units = (struct units *)core;
    const struct core_plan *plan = units->plan = options->plan;
    assert(plan && plan->n == core->n_steps && plan->n_turns);
    units->relaxed = options->relaxed;
    units->most_slots = window_size(units, CPU_REORDER_BUFFER, RELAX_REORDER_BUFFER, LARGE_WINDOW);
    units->most_loads = window_size(units, CPU_LOAD_QUEUE, RELAX_QUEUES, LARGE_WINDOW);
    units->most_stores = window_size(units, CPU_STORE_QUEUE, RELAX_QUEUES, MOST_STORES);
    units->ticks_of_slot = ticks_of_rate(plan->cpu, CPU_DISPATCH_WIDTH);
    units->dispatches_whole = cpu_does(plan->cpu, CPU_DISPATCHES_WHOLE);
    units->most_fields = (unsigned)cpu_value(plan->cpu, CPU_DISPATCH_FIELDS);
    units->ticks_of_vector_slot = ticks_of_rate(plan->cpu, CPU_DISPATCH_WIDTH_VECTOR);
    units->ticks_of_retired = ticks_of_rate(plan->cpu, CPU_RETIRE_WIDTH);
    units->no_registers = STASH_ZEROED(stash, unsigned, core->machine->n_register_files + 1);
    unsigned places = places_for(units->most_slots);
    flights_open(&units->flights, plan, places, stash);
    front_end_open(&units->front_end, plan, core->total);
    rename_open(&units->rename, plan, stash);
    station_open(&units->station, plan, places, units->relaxed & RELAX_SCHEDULERS, stash);
    ports_open(&units->ports, plan);
    memory_open(&units->memory, plan->cpu);
    store_table_open(&units->stores, plan->cpu, stash);
    watch_open(&units->watch, plan, &core->reporter, places, stash);
    units->settled = options->least_cycles > 0 ? settled_open(units, options->least_cycles, stash) : NULL;
    units->is_watched = core->reporter.wanted.dispatched || units->watch.ring || units->watch.is_wanted_of_rename;
}

static void cpu_core_cycle(struct core *core) {
    struct units *units = (struct units *)core;
    const uint64_t n_entered = core->n_entered;
    units_retire(units);
    units_execute(units);
    units_dispatch(units);
    const bool waits = core->next >= front_end_delivered(&units->front_end);
    units->front_end.total = core->total;
    core->has_moved |= front_end_cycle(&units->front_end, core->now, core->next);
    units->moved = core->has_moved ? core->now : units->moved;
    uint64_t entered = front_end_entered(&units->front_end);
    core->n_queued = entered > core->next ? entered - core->next : 0;
    if (units->settled)
        settled_look(units->settled, units, &(struct settled_cycle){core->n_entered != n_entered, waits});
}

static bool cpu_core_has_work(const struct core *core) {
    const struct units *units = (const struct units *)core;
    return units->flights.oldest < units->flights.next || units->stores.committed < units->stores.next;
}

// The cycle from which on a gate is open, where that comes before `next`.
static int64_t opens_before(const struct gate *gate, int64_t now, int64_t next) {
    const int64_t cycle = ticks_cycle(gate->busy_until);
    return cycle > now && cycle < next ? cycle : next;
}

// While a uop is ready and waits for a pipe or for memory, each cycle counts. Else whatever has a time is looked at,
// also what may not matter.
static int64_t cpu_core_wakes_at(const struct core *core) {
    const struct units *units = (const struct units *)core;
    const struct flight *oldest = flights_at(&units->flights, units->flights.oldest);
    const int64_t now = core->now;
    if (units->station.filled)
        return now + 1;
    int64_t next = station_wakes_at(&units->station, now);
    if (units->flights.oldest < units->flights.next && units_is_over(oldest)) {
        const int64_t done = ticks_cycle(oldest->done + TICKS - 1);
        next = done > now && done < next ? done : next;
    }
    next = opens_before(&units->dispatch, now, next);
    next = opens_before(&units->dispatch_vector, now, next);
    next = opens_before(&units->retirement, now, next);
    next = opens_before(&units->stores.stores, now, next);
    next = opens_before(&units->stores.lines, now, next);
    for (unsigned i = 0; i < units->plan->n_supplies; i++)
        next = opens_before(&units->front_end.parts[i].gate, now, next);
    return next;
}

static int64_t later(int64_t one, int64_t other) {
    return one > other ? one : other;
}

// Ticks: nothing that is known happens later.
static int64_t latest_of(const struct units *units) {
    int64_t latest = 0;
    for (uint64_t i = units->flights.oldest; i < units->flights.next; i++) {
        const struct flight *flight = flights_at(&units->flights, i);
        latest = later(flight->done, latest);
        for (unsigned g = 0; g < CORE_N_GROUPS; g++)
            latest = later(flight->ready[g], latest);
    }
    for (unsigned p = 0; p < units->ports.n_pipes; p++)
        latest = later(units->ports.pipes[p].busy_until, latest);
    return latest;
}

static bool cpu_core_why_stuck(const struct core *core, struct fail *fail) {
    const struct units *units = (const struct units *)core;
    enum { PATIENCE = 4096 }; // cycles in which gates and steps of the front end may pass
    if (core->now < units->moved + PATIENCE || core->now < ticks_cycle(latest_of(units)) + PATIENCE)
        return false;
    const struct flight *flight = flights_at(&units->flights, units->flights.oldest);
    const char *text = flight->insn->recipe->insn->opcode;
    if (units->flights.oldest == units->flights.next && core->next == core->total)
        fail_set(fail, FAIL_WORK, "a store never reaches the cache");
    else if (units->flights.oldest == units->flights.next)
        fail_set(fail, FAIL_WORK, "instruction %u is never dispatched", core->next_position + 1);
    else
        fail_set(fail, FAIL_WORK, "instruction %u, %s, never retires", flight->position + 1, text);
    return true;
}

// A store is in flight until it is in the cache.
static uint64_t cpu_core_oldest(const struct core *core) {
    const struct units *units = (const struct units *)core;
    const struct store_table *stores = &units->stores;
    return stores->committed < stores->retired ? stores->ring[stores->committed % STORE_PLACES].index
                                               : units->flights.oldest;
}

static uint64_t cpu_core_signature(const struct core *core, uint64_t hash) {
    const struct units *units = (const struct units *)core;
    hash = signature_mix(hash, core->next - units->flights.oldest);
    hash = signature_mix(hash, units->turn | (uint64_t)units->station.n_in_wheel << 32);
    hash = signature_mix(hash, (uint64_t)(units->dispatch.busy_until - ticks_at(core->now)));
    hash = signature_mix(hash, units->station.filled);
    for (unsigned p = 0; p < units->ports.n_pipes && units->plan->has_bound; p++)
        hash = signature_mix(hash, units->ports.n_bound[p]);
    for (unsigned i = 0; i < CORE_N_SCHEDULERS; i++)
        hash = signature_mix(hash, units->station.n_entries[i]);
    for (unsigned i = 0; i < units->plan->n_supplies; i++)
        hash = signature_mix(hash, units->front_end.parts[i].step | (units->front_end.parts[i].delivered - core->next)
                                                                        << 32);
    return hash;
}

static void cpu_core_put_state(const struct core *core, struct coder *coder) {
    const struct units *units = (const struct units *)core;
    // No state of the first cycles is taken for a later one: what is before them cannot be looked back at.
    coder_put(coder, core->now < LONGEST_LOOK_BACK ? (uint64_t)core->now : LONGEST_LOOK_BACK);
    if (coder->differs || core->now < LONGEST_LOOK_BACK)
        return;
    coder->back = LONGEST_LOOK_BACK;
    front_end_put(&units->front_end, coder);
    if (!coder->differs)
        units_put_back_end(units, coder, CORE_KEPT_STORES);
}

static const struct core_knob cpu_core_knobs[] = {
    {"dependences", LIMIT_DEPENDENCES},      {"reorder buffer", LIMIT_BUFFER}, {"schedulers", LIMIT_BUFFER},
    {"load and store queues", LIMIT_BUFFER}, {"retirement", LIMIT_RETIREMENT},
};

const struct core_ops cpu_core = {
    .name = "core",
    .bytes = sizeof(struct units),
    .start = cpu_core_start,
    .cycle = cpu_core_cycle,
    .wakes_at = cpu_core_wakes_at,
    .has_work = cpu_core_has_work,
    .why_stuck = cpu_core_why_stuck,
    .oldest = cpu_core_oldest,
    .signature = cpu_core_signature,
    .put_state = cpu_core_put_state,
    .knobs = cpu_core_knobs,
    .n_knobs = sizeof cpu_core_knobs / sizeof *cpu_core_knobs,
};
