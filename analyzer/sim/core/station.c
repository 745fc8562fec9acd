#include "analyzer/sim/core/station.h"

static unsigned entries_of(const struct cpu *cpu, enum cpu_parameter size) {
    return cpu_knows(cpu, size) ? (unsigned)cpu_value(cpu, size) : UINT32_MAX;
}

void station_open(struct station *station, const struct core_plan *plan, unsigned places, bool is_large,
                  struct stash *stash) {
    *station = (struct station){.plan = plan};
    station->uops = STASH_ARRAY(stash, struct waiting_uop, (size_t)places * plan->most_uops);
    for (unsigned i = 0; i < WHEEL_CYCLES; i++)
        station->wheel[i] = NO_UOP;
    for (unsigned q = 0; q < plan->n_queues; q++)
        station->first[q] = station->last[q] = NO_UOP;
    static const enum cpu_parameter sizes[] = {CPU_SCHEDULER, CPU_SCHEDULER_VECTOR, CPU_SCHEDULER_MEMORY};
    for (unsigned i = 0; i < CORE_N_SCHEDULERS; i++)
        station->sizes[i] = is_large ? UINT32_MAX : entries_of(plan->cpu, sizes[i]);
}

bool station_has_room(const struct station *station, const struct core_insn *insn) {
    unsigned which = insn->scheduler, size = station->sizes[which];
    unsigned wanted = insn->entries < size ? insn->entries : size;
    return station->n_entries[which] <= size - wanted;
}

static void add_to_wheel(struct station *station, int32_t uop, int64_t cycle) {
    int64_t at = ticks_cycle(station->uops[uop].ready);
    if (at - cycle >= WHEEL_CYCLES)
        at = cycle + WHEEL_CYCLES - 1; // it comes round again
    int32_t *place = &station->wheel[at % WHEEL_CYCLES];
    station->uops[uop].next = *place;
    *place = uop;
    station->n_in_wheel++;
}

void station_queue(struct station *station, int32_t uop) {
    struct waiting_uop *waiting = &station->uops[uop];
    int32_t *last = &station->last[waiting->queue], *first = &station->first[waiting->queue], before = *last;
    while (before != NO_UOP && station->uops[before].age > waiting->age)
        before = station->uops[before].previous;
    station->filled |= UINT64_C(1) << waiting->queue;
    waiting->previous = before;
    waiting->next = before == NO_UOP ? *first : station->uops[before].next;
    *(before == NO_UOP ? first : &station->uops[before].next) = uop;
    *(waiting->next == NO_UOP ? last : &station->uops[waiting->next].previous) = uop;
}

void station_remove(struct station *station, int32_t uop) {
    const struct waiting_uop *waiting = &station->uops[uop];
    int32_t *first = &station->first[waiting->queue], *last = &station->last[waiting->queue];
    *(waiting->previous == NO_UOP ? first : &station->uops[waiting->previous].next) = waiting->next;
    *(waiting->next == NO_UOP ? last : &station->uops[waiting->next].previous) = waiting->previous;
    if (*first == NO_UOP)
        station->filled &= ~(UINT64_C(1) << waiting->queue);
}

void station_release(struct station *station, int32_t uop, int64_t ready, int64_t cycle) {
    station->uops[uop].ready = ready;
    if (ticks_cycle(ready) <= cycle)
        station_queue(station, uop);
    else
        add_to_wheel(station, uop, cycle);
}

void station_wake(struct station *station, int64_t cycle) {
    int32_t uop = station->wheel[cycle % WHEEL_CYCLES];
    station->wheel[cycle % WHEEL_CYCLES] = NO_UOP;
    while (uop != NO_UOP) {
        int32_t next = station->uops[uop].next;
        station->n_in_wheel--;
        station_release(station, uop, station->uops[uop].ready, cycle);
        uop = next;
    }
}

int64_t station_wakes_at(const struct station *station, int64_t cycle) {
    int64_t at = cycle + 1;
    while (at < cycle + WHEEL_CYCLES && station->n_in_wheel && station->wheel[at % WHEEL_CYCLES] == NO_UOP)
        at++;
    return station->n_in_wheel ? at : cycle + WHEEL_CYCLES;
}

unsigned station_oldest(const struct station *station, uint64_t pipes, uint64_t shut) {
    unsigned best = CORE_MOST_QUEUES;
    uint64_t age = UINT64_MAX;
    for (uint64_t left = station->filled & ~shut; left; left &= left - 1) {
        unsigned q = (unsigned)__builtin_ctzll(left);
        uint64_t its_age = station->uops[station->first[q]].age;
        if (its_age < age && (!q || station->plan->queues[q] & pipes)) {
            best = q;
            age = its_age;
        }
    }
    return best;
}

void station_put(const struct station *station, struct coder *coder, const struct flights *flights) {
    for (unsigned i = 0; i < CORE_N_SCHEDULERS; i++)
        coder_put(coder, station->n_entries[i]);
    // Queues are in the order of age, so their members stand for them.
    for (unsigned q = 0; q < station->plan->n_queues && !coder->differs; q++)
        for (int32_t uop = station->first[q]; uop != NO_UOP; uop = station->uops[uop].next) {
            coder_put(coder, flights->next * CORE_MOST_UOPS - station->uops[uop].age);
            put_ticks(coder, station->uops[uop].ready, 0);
        }
    coder_put(coder, station->n_in_wheel);
    for (uint64_t i = flights->oldest; i < flights->next && !coder->differs; i++) {
        const struct flight *flight = flights_at(flights, i);
        for (unsigned u = 0; u < flight->insn->n_uops && flight->n_uops_left; u++)
            if (flight->insn->uops[u].is_bound)
                coder_put(coder, station->uops[(i & flights->mask) * station->plan->most_uops + u].pipe);
    }
}
