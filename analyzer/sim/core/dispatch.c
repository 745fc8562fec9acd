// Dispatch: instructions that the front end has delivered are renamed and enter windows and queues, in order.
#include "analyzer/cpu/dispatch_group.h"
#include "analyzer/sim/core/units.h"

static bool has_room(const struct units *units, const struct core_insn *insn, enum event_stall *why) {
    unsigned slots = insn->slots < units->most_slots ? insn->slots : units->most_slots;
    if (flights_are_full(&units->flights) || units->n_slots > units->most_slots - slots) {
        *why = STALL_REORDER_BUFFER;
        return false;
    }
    if (!station_has_room(&units->station, insn)) {
        *why = STALL_SCHEDULER;
        return false;
    }
    if (insn->loads && units->n_loads >= units->most_loads) {
        *why = STALL_LOAD_QUEUE;
        return false;
    }
    if (insn->stores && units->stores.next - units->stores.committed >= units->most_stores) {
        *why = STALL_STORE_QUEUE;
        return false;
    }
    return true;
}

static void wait_for(struct units *units, struct flight *flight, int64_t known, int32_t *list) {
    int64_t more = flight->access->more;
    if (known == UNKNOWN)
        flights_wait(&units->flights, flight, CORE_LOADED, more, list);
    else if (known + more > flight->ready[CORE_LOADED])
        flight->ready[CORE_LOADED] = known + more;
}

// Ties a load to the store that it meets. The result waits for the load's own access, unless rename has found it.
static void meet_store(struct units *units, struct flight *flight) {
    const struct core_access *access = flight->access;
    struct store_entry *entry = store_table_met(&units->stores, access);
    flight->is_renamed = entry && access->meets == CORE_IS_RENAMED;
    flight->counts.n_waits[CORE_LOADED] = flight->is_renamed ? 0 : flight->insn->n_of_part[CORE_LOADS];
    if (!entry)
        return;
    if (access->meets == CORE_IS_BLOCKED) {
        wait_for(units, flight, entry->retired, &entry->waits_for_retired);
        return;
    }
    wait_for(units, flight, entry->data, &entry->waits_for_data);
    if (access->meets == CORE_IS_FORWARDED)
        wait_for(units, flight, entry->address, &entry->waits_for_address);
}

static void name_uops(struct units *units, const struct flight *flight) {
    const uint64_t number = station_number(&units->station, flight->index, 0);
    struct waiting_uop *waiting = station_at(&units->station, number);
    for (unsigned u = 0; u < flight->insn->n_uops; u++) {
        const struct core_uop *uop = &flight->insn->uops[u];
        waiting[u].number = number + u;
        waiting[u].queue = (uint8_t)uop->queue;
        if (uop->is_bound) {
            waiting[u].pipe = (uint8_t)ports_bind(&units->ports, uop);
            waiting[u].queue = units->ports.queues[waiting[u].pipe];
        }
    }
}

__attribute__((noinline, cold)) static void report_dispatched(struct units *units, const struct flight *flight) {
    const struct event_insn event = core_event(&units->core, flight->index, flight->position);
    REPORT(&units->core.reporter, dispatched, &event, flight->insn->slots + flight->access->sync_slots,
           units->no_registers);
    if (units->watch.is_wanted_of_rename)
        watch_rename(units, flight);
}

// Groups that wait for nothing are complete.
static void complete_parts(struct units *units, struct flight *flight) {
    const struct core_insn *insn = flight->insn;
    for (unsigned part = 1; part < CPU_MOST_PARTS && part <= insn->n_parts; part++)
        if (!flight->counts.n_waits[core_group_of_part(part)])
            units_complete(units, flight, core_group_of_part(part));
    if ((insn->loads || insn->stores) && !flight->counts.n_waits[CORE_ADDRESS])
        units_complete(units, flight, CORE_ADDRESS);
    if (insn->loads && !flight->counts.n_waits[CORE_LOADED])
        units_complete(units, flight, CORE_LOADED);
    else if (!insn->loads && !flight->counts.n_waits[CORE_VALUE])
        units_complete(units, flight, CORE_VALUE);
}

static void enter(struct units *units, const struct core_insn *insn, const struct core_access *access) {
    struct core *core = &units->core;
    struct flight *flight = flights_enter(&units->flights, insn, access, core->next_position);
    units->n_slots += insn->slots;
    units->station.n_entries[insn->scheduler] += insn->entries;
    name_uops(units, flight);
    if (units->is_watched && units->watch.ring)
        watch_enter(units, flight);
    rename_flight(&units->rename, &units->flights, flight, core->now, units->relaxed & RELAX_DEPENDENCES);
    if (insn->loads) {
        units->n_loads++;
        meet_store(units, flight);
        flight->counts.n_waits[CORE_VALUE]++;
        for (unsigned part = 1; part < CPU_MOST_PARTS && part <= insn->n_parts; part++)
            flight->counts.n_waits[core_group_of_part(part)] += insn->part_loads[part];
    }
    if (insn->stores)
        flight->store = store_table_enter(&units->stores, flight->index, access);
    core_enter(core);
    if (!core->next_position)
        units->turn = units->turn + 1 == units->plan->n_turns ? 0 : units->turn + 1;
    if (units->is_watched)
        report_dispatched(units, flight);
    if (!insn->is_plain)
        complete_parts(units, flight);
    else if (!flight->counts.n_waits[CORE_VALUE])
        units_complete_value(units, flight, flight->ready[CORE_VALUE]);
}

// Whether a group of dispatch has no room for an instruction, or for the first of its two slots alone.
static bool comes_apart(const struct units *units, const struct core_insn *insn, const struct dispatch_group *group) {
    if (!dispatch_group_has_room(group, &insn->recipe->dispatch, units->most_fields))
        return true;
    const int64_t now = ticks_at(units->core.now), busy = units->dispatch.busy_until;
    return units->dispatches_whole && insn->slots == 2 &&
           (busy > now ? busy : now) + 2 * units->ticks_of_slot > ticks_at(units->core.now + 1);
}

__attribute__((noinline, cold)) static void report_stall(struct units *units, enum event_stall why) {
    struct core *core = &units->core;
    const struct event_insn event = core_event(core, core->next, core->next_position);
    REPORT(&core->reporter, stalled, &event, why);
}

void units_dispatch(struct units *units) {
    struct core *core = &units->core;
    const struct core_plan *plan = units->plan;
    struct dispatch_group group = {.taken = DISPATCH_NOTHING};
    const uint64_t delivered = front_end_delivered(&units->front_end);
    const uint64_t end = delivered < core->total ? delivered : core->total;
    const struct core_insn *insn = &plan->insns[core->next_position];
    const struct core_access *access = &plan->accesses[units->turn * plan->n + core->next_position];
    while (core->next < end) {
        enum event_stall why = STALL_DISPATCH_GROUP;
        unsigned slots = insn->slots + access->sync_slots;
        if ((slots && !gate_is_open(&units->dispatch, core->now)) ||
            (insn->is_vector && !gate_is_open(&units->dispatch_vector, core->now)))
            return;
        if (!has_room(units, insn, &why)) {
            if (core->reporter.wanted.stalled)
                report_stall(units, why);
            return;
        }
        if (insn->may_come_apart && comes_apart(units, insn, &group)) {
            units->dispatch.busy_until = ticks_at(core->now + 1);
            core->has_moved = true;
            return;
        }
        gate_take(&units->dispatch, core->now, 0, slots * units->ticks_of_slot);
        if (insn->is_vector)
            gate_take(&units->dispatch_vector, core->now, 0, insn->slots * units->ticks_of_vector_slot);
        if (insn->may_come_apart)
            dispatch_group_add(&group, &insn->recipe->dispatch, units->most_fields);
        enter(units, insn++, access++);
        core->has_moved = true;
        if (!core->next_position) { // the next turn
            insn = plan->insns;
            access = &plan->accesses[(size_t)units->turn * plan->n];
        }
    }
    if (core->reporter.wanted.stalled && core->next < core->total && gate_is_open(&units->dispatch, core->now))
        report_stall(units, STALL_FRONT_END);
}
