// Retirement, in order, and reports of what has been executed.
#include "analyzer/sim/core/units.h"

static bool is_done(const struct units *units, const struct flight *flight) {
    return units_is_over(flight) && flight->done <= ticks_at(units->core.now);
}

static void report_executed(struct units *units) {
    for (uint64_t i = units->flights.oldest; i < units->flights.next; i++) {
        struct flight *flight = flights_at(&units->flights, i);
        if (flight->is_reported || !is_done(units, flight))
            continue;
        const struct event_insn event = core_event(&units->core, flight->index, flight->position);
        flight->is_reported = true;
        REPORT(&units->core.reporter, executed, &event);
    }
}

__attribute__((noinline, cold)) static void report_retired(struct units *units, const struct flight *flight) {
    const struct event_insn event = core_event(&units->core, flight->index, flight->position);
    REPORT(&units->core.reporter, retired, &event, units->no_registers);
}

// Retirement notices in a cycle what was done before it. What waits until a store has retired does not lose that cycle,
// but waits for all before the store, too.
static void retire_one(struct units *units, struct flight *flight) {
    const struct core_insn *insn = flight->insn;
    units->all_done = flight->done > units->all_done ? flight->done : units->all_done;
    if (insn->stores) {
        struct store_entry *entry = store_table_at(&units->stores, flight->store);
        const int64_t before = ticks_at(units->core.now - 1);
        entry->retired = units->all_done > before ? units->all_done : before;
        units->stores.retired++;
        units_arrive(units, entry->waits_for_retired, entry->retired);
    }
    units->n_slots -= insn->slots;
    units->n_loads -= insn->loads;
    units->flights.oldest++;
    if (units->core.reporter.wanted.retired)
        report_retired(units, flight);
}

void units_retire(struct units *units) {
    struct core *core = &units->core;
    if (core->reporter.wanted.executed)
        report_executed(units);
    while (units->flights.oldest < units->flights.next) {
        struct flight *flight = flights_at(&units->flights, units->flights.oldest);
        unsigned slots = flight->insn->slots + flight->access->sync_slots;
        if (!is_done(units, flight) || (slots && !gate_is_open(&units->retirement, core->now)))
            break;
        if (!(units->relaxed & RELAX_RETIREMENT))
            gate_take(&units->retirement, core->now, 0, slots * units->ticks_of_retired);
        retire_one(units, flight);
        core->has_moved = true;
    }
    core->has_moved |= store_table_commit(&units->stores, core->now);
}
