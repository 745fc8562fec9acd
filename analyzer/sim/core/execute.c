// Execution: what is ready takes a pipe and what memory serves, and what then is known wakes others.
#include "analyzer/sim/core/units.h"

void units_arrive(struct units *units, int32_t list, int64_t ticks) {
    while (list != NO_WAIT) {
        const struct wait wait = units->flights.waits[list];
        struct flight *flight = flights_in(&units->flights, wait.flight);
        if (ticks + wait.more > flight->ready[wait.group])
            flight->ready[wait.group] = ticks + wait.more;
        if (--flight->counts.n_waits[wait.group] == 0)
            units_complete(units, flight, (enum core_group)wait.group);
        list = wait.next;
    }
}

static void release(struct units *units, const struct flight *flight, enum core_part part, int64_t ready) {
    uint32_t left = flight->insn->of_part[part];
    if (units->watch.ring && left)
        watch_release(units, flight, ready);
    struct waiting_uop *uops = station_at(&units->station, station_number(&units->station, flight->index, 0));
    for (; left; left &= left - 1)
        station_release(&units->station, &uops[__builtin_ctz(left)], ready, units->core.now);
}

static void has_data(struct units *units, struct flight *flight, int64_t ticks) {
    struct store_entry *entry = store_table_at(&units->stores, flight->store);
    flight->counts.has_data = true;
    flight->done = ticks > flight->done ? ticks : flight->done;
    entry->data = ticks;
    units_arrive(units, entry->waits_for_data, ticks);
}

static void has_address(struct units *units, struct flight *flight, int64_t ticks) {
    struct store_entry *entry = store_table_at(&units->stores, flight->store);
    flight->done = ticks > flight->done ? ticks : flight->done;
    entry->address = ticks;
    units_arrive(units, entry->waits_for_address, ticks);
}

static void has_result(struct units *units, struct flight *flight, unsigned write, int64_t result) {
    flight->results[write].ticks = result;
    if (flight->results[write].waiting != NO_WAIT)
        units_arrive(units, flight->results[write].waiting, result);
}

// Results that do not wait for all sources wait for no pipe, either: the others hold it.
static void has_part(struct units *units, struct flight *flight, unsigned part, int64_t ready) {
    const int64_t now = ticks_at(units->core.now), begin = ready > now ? ready : now;
    for (unsigned w = 0; w < flight->insn->n_writes; w++) {
        const int64_t result = begin + flight->insn->writes[w].latency;
        if (flight->insn->writes[w].part != part)
            continue;
        flight->done = result > flight->done ? result : flight->done;
        has_result(units, flight, w, result);
    }
}

// It has begun, and no uop that computes is left. No result is there before the last of these, begun at `last`.
static void has_results(struct units *units, struct flight *flight, int64_t last) {
    const struct core_insn *insn = flight->insn;
    const int64_t done = flight->begin + insn->latency > last ? flight->begin + insn->latency : last;
    flight->counts.has_result = true;
    flight->done = done > flight->done ? done : flight->done;
    for (unsigned w = 0; w < insn->n_writes; w++) {
        const int64_t result = flight->begin + insn->writes[w].latency;
        if (!insn->writes[w].part)
            has_result(units, flight, w, result > last ? result : last);
    }
    if (insn->stores && insn->n_of_part[CORE_STORES_DATA])
        release(units, flight, CORE_STORES_DATA, flight->begin + insn->store_delay);
    else if (insn->stores)
        has_data(units, flight, flight->begin + insn->store_delay);
}

// What it loads is there, for the parts that wait for it, too.
static void load_parts(struct units *units, struct flight *flight, int64_t loaded) {
    for (unsigned part = 1; part < CPU_MOST_PARTS && part <= flight->insn->n_parts; part++) {
        const enum core_group group = core_group_of_part(part);
        if (!flight->insn->part_loads[part])
            continue;
        flight->ready[group] = loaded > flight->ready[group] ? loaded : flight->ready[group];
        if (--flight->counts.n_waits[group] == 0)
            units_complete(units, flight, group);
    }
}

void units_complete_value(struct units *units, struct flight *flight, int64_t ready) {
    if (flight->insn->n_of_part[CORE_COMPUTES]) {
        release(units, flight, CORE_COMPUTES, ready);
        return;
    }
    flight->begin = ready;
    has_results(units, flight, ready);
}

void units_complete(struct units *units, struct flight *flight, enum core_group group) {
    int64_t ready = flight->ready[group];
    if (group == CORE_ADDRESS) {
        release(units, flight, CORE_LOADS, ready);
        release(units, flight, CORE_STORES_ADDRESS, ready);
        if (flight->insn->stores && !flight->insn->n_of_part[CORE_STORES_ADDRESS])
            has_address(units, flight, ready);
        return;
    }
    if (group >= CORE_N_GROUPS) {
        has_part(units, flight, group - CORE_N_GROUPS + 1, ready);
        return;
    }
    if (group == CORE_LOADED) {
        load_parts(units, flight, ready);
        flight->done = ready > flight->done ? ready : flight->done;
        if (ready > flight->ready[CORE_VALUE])
            flight->ready[CORE_VALUE] = ready;
        if (--flight->counts.n_waits[CORE_VALUE] > 0)
            return;
        ready = flight->ready[CORE_VALUE];
    }
    units_complete_value(units, flight, ready);
}

static bool has_parts(const struct flight *flight) {
    for (unsigned part = 1; part < CPU_MOST_PARTS && part <= flight->insn->n_parts; part++)
        if (flight->counts.n_waits[core_group_of_part(part)])
            return false;
    return true;
}

bool units_is_over(const struct flight *flight) {
    return !flight->counts.n_uops_left && flight->counts.has_result && has_parts(flight) &&
           (!flight->insn->stores || flight->counts.has_data);
}

static void has_loaded(struct units *units, struct flight *flight, int64_t begin) {
    int64_t loaded = begin + flight->access->latency;
    flight->done = begin > flight->done ? begin : flight->done;
    if (flight->is_renamed)
        return;
    if (loaded > flight->ready[CORE_LOADED])
        flight->ready[CORE_LOADED] = loaded;
    if (--flight->counts.n_waits[CORE_LOADED] == 0)
        units_complete(units, flight, CORE_LOADED);
}

// One uop of a flight begins.
static void begin_uop(struct units *units, struct flight *flight, enum core_part part, int64_t begin) {
    flight->counts.n_left[part]--;
    flight->counts.n_uops_left--;
    if (!flight->counts.n_uops_left)
        units->station.n_entries[flight->insn->scheduler] -= flight->insn->entries;
    if (part == CORE_LOADS) {
        has_loaded(units, flight, begin);
    } else if (part == CORE_STORES_ADDRESS) {
        if (!flight->counts.n_left[part])
            has_address(units, flight, begin);
    } else if (part == CORE_STORES_DATA) {
        if (!flight->counts.n_left[part])
            has_data(units, flight, begin);
    } else {
        flight->begin = flight->begin == UNKNOWN ? begin : flight->begin;
        if (!flight->counts.n_left[part])
            has_results(units, flight, begin);
    }
}

// Tries to issue the first uop of a queue. False: what it needs of memory is not free in this cycle.
static bool issue(struct units *units, unsigned queue, bool *waits_for_bank) {
    struct station *station = &units->station;
    const uint64_t number = station->queues[queue].oldest;
    const struct waiting_uop *waiting = station_at(station, number);
    struct flight *flight = flights_at(&units->flights, number >> station->bits_of_uop);
    const struct core_uop *what = &flight->insn->uops[number & ((1U << station->bits_of_uop) - 1)];
    int64_t now = units->core.now, begin = waiting->ready, hold = what->hold;
    bool is_load = what->part == CORE_LOADS, is_address = what->part == CORE_STORES_ADDRESS;
    if ((is_load || is_address) && !memory_is_open(&units->memory, is_load ? flight->access : NULL, now))
        return false;
    *waits_for_bank = is_load && !memory_has_banks(&units->memory, flight->access, now);
    if (*waits_for_bank)
        return false;
    station_remove_first(station, queue);
    if (is_load)
        begin = memory_load(&units->memory, flight->access, now, begin);
    else if (is_address)
        begin = memory_store(&units->memory, flight->access, now, begin);
    hold += is_load ? flight->access->hold : what->part == CORE_STORES_DATA ? flight->access->store_hold : 0;
    unsigned pipe = NO_PIPE;
    if (what->pipes) {
        pipe = what->is_bound ? waiting->pipe : ports_choose(&units->ports, what->pipes, now, begin);
        begin = ports_take(&units->ports, what, pipe, now, begin, hold);
    }
    if (units->watch.ring)
        watch_issue(units, flight, &(struct watch_issued){what->part, pipe, begin, hold});
    begin_uop(units, flight, what->part, begin);
    return true;
}

void units_execute(struct units *units) {
    struct station *station = &units->station;
    uint64_t shut = 0;
    bool waits_for_bank = false;
    int32_t aside = NO_UOP;
    station_wake(station, units->core.now);
    ports_begin(&units->ports, units->core.now);
    for (unsigned q; (q = station_oldest(station, units->ports.served & ~shut)) != CORE_MOST_QUEUES;) {
        struct waiting_uop *uop = station_first(station, q);
        if (issue(units, q, &waits_for_bank)) {
            units->core.has_moved = true;
        } else if (waits_for_bank) { // younger ones may go
            station_remove_first(station, q);
            uop->next = aside;
            aside = (int32_t)(uop->number & station->mask);
        } else {
            shut |= UINT64_C(1) << q;
        }
    }
    while (aside != NO_UOP) {
        const struct waiting_uop *uop = &station->uops[aside];
        aside = uop->next;
        station_queue(station, uop);
    }
    if (units->watch.ring)
        watch_ready(units);
}
