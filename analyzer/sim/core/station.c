#include "analyzer/sim/core/station.h"

static unsigned entries_of(const struct cpu *cpu, enum cpu_parameter size) {
    return cpu_knows(cpu, size) ? (unsigned)cpu_value(cpu, size) : UINT32_MAX;
}

enum { BITS = 64 };

static size_t words_of(const struct station *station) {
    return (station->mask + (size_t)BITS) / BITS;
}

void station_open(struct station *station, const struct core_plan *plan, unsigned places, bool is_large,
                  struct stash *stash) {
    *station = (struct station){.plan = plan};
    while (1U << station->bits_of_uop < plan->most_uops)
        station->bits_of_uop++;
    station->mask = (places << station->bits_of_uop) - 1;
    station->uops = STASH_ARRAY(stash, struct waiting_uop, station->mask + (size_t)1);
    uint64_t *ready = STASH_ZEROED(stash, uint64_t, plan->n_queues * words_of(station));
    for (unsigned q = 0; q < plan->n_queues; q++)
        station->queues[q].ready = &ready[q * words_of(station)];
    for (unsigned i = 0; i < WHEEL_CYCLES; i++)
        station->wheel[i] = NO_UOP;
    static const enum cpu_parameter sizes[] = {CPU_SCHEDULER, CPU_SCHEDULER_VECTOR, CPU_SCHEDULER_MEMORY};
    for (unsigned i = 0; i < CORE_N_SCHEDULERS; i++)
        station->sizes[i] = is_large ? UINT32_MAX : entries_of(plan->cpu, sizes[i]);
}

bool station_has_room(const struct station *station, const struct core_insn *insn) {
    unsigned which = insn->scheduler, size = station->sizes[which];
    unsigned wanted = insn->entries < size ? insn->entries : size;
    return station->n_entries[which] <= size - wanted;
}

static void add_to_wheel(struct station *station, struct waiting_uop *uop, int64_t cycle) {
    int64_t at = ticks_cycle(uop->ready);
    if (at - cycle >= WHEEL_CYCLES)
        at = cycle + WHEEL_CYCLES - 1; // it comes round again
    int32_t *place = &station->wheel[at % WHEEL_CYCLES];
    uop->next = *place;
    *place = (int32_t)(uop->number & station->mask);
    station->n_in_wheel++;
}

void station_queue(struct station *station, const struct waiting_uop *uop) {
    struct station_queue *queue = &station->queues[uop->queue];
    const uint64_t place = uop->number & station->mask;
    queue->ready[place / BITS] |= UINT64_C(1) << place % BITS;
    queue->oldest = queue->n && queue->oldest < uop->number ? queue->oldest : uop->number;
    queue->n++;
    station->filled |= UINT64_C(1) << uop->queue;
}

// The number of the first uop behind that one: places come round. There is one.
static uint64_t next_in_queue(const struct station *station, const struct station_queue *queue, uint64_t number) {
    const uint64_t from = (number + 1) & station->mask;
    uint64_t word = from / BITS, bits = queue->ready[word] & UINT64_MAX << from % BITS;
    while (!bits) {
        word = word + 1 == words_of(station) ? 0 : word + 1;
        bits = queue->ready[word];
    }
    const uint64_t place = word * BITS + (uint64_t)__builtin_ctzll(bits);
    return number + ((place - number) & station->mask);
}

void station_remove_first(struct station *station, unsigned which) {
    struct station_queue *queue = &station->queues[which];
    const uint64_t place = queue->oldest & station->mask;
    queue->ready[place / BITS] &= ~(UINT64_C(1) << place % BITS);
    if (--queue->n)
        queue->oldest = next_in_queue(station, queue, queue->oldest);
    else
        station->filled &= ~(UINT64_C(1) << which);
}

void station_release(struct station *station, struct waiting_uop *uop, int64_t ready, int64_t cycle) {
    uop->ready = ready;
    if (ready < ticks_at(cycle + 1))
        station_queue(station, uop);
    else
        add_to_wheel(station, uop, cycle);
}

void station_wake(struct station *station, int64_t cycle) {
    int32_t place = station->wheel[cycle % WHEEL_CYCLES];
    station->wheel[cycle % WHEEL_CYCLES] = NO_UOP;
    while (place != NO_UOP) {
        struct waiting_uop *uop = &station->uops[place];
        place = uop->next;
        station->n_in_wheel--;
        station_release(station, uop, uop->ready, cycle);
    }
}

int64_t station_wakes_at(const struct station *station, int64_t cycle) {
    int64_t at = cycle + 1;
    while (at < cycle + WHEEL_CYCLES && station->n_in_wheel && station->wheel[at % WHEEL_CYCLES] == NO_UOP)
        at++;
    return station->n_in_wheel ? at : cycle + WHEEL_CYCLES;
}

unsigned station_oldest(const struct station *station, uint64_t queues) {
    unsigned best = CORE_MOST_QUEUES;
    uint64_t oldest = UINT64_MAX, left = station->filled & queues;
    if (left && !(left & (left - 1)))
        return (unsigned)__builtin_ctzll(left);
    for (; left; left &= left - 1) {
        const unsigned q = (unsigned)__builtin_ctzll(left);
        const uint64_t number = station->queues[q].oldest;
        best = number < oldest ? q : best;
        oldest = number < oldest ? number : oldest;
    }
    return best;
}

static void put_queue(const struct station *station, const struct station_queue *queue, uint64_t next,
                      struct coder *coder) {
    uint64_t number = queue->oldest;
    coder_put(coder, queue->n);
    for (unsigned i = 0; i < queue->n && !coder->differs; i++) {
        number = i ? next_in_queue(station, queue, number) : number;
        coder_put(coder, next - number);
        put_ticks(coder, station_at(station, number)->ready, 0);
    }
}

// Of uops that are bound at rename: to which pipe.
static void put_pipes(const struct station *station, const struct flights *flights, struct coder *coder) {
    enum { BITS_OF_PIPE = 6 };
    for (uint64_t i = flights->oldest; i < flights->next && !coder->differs; i++) {
        const struct flight *flight = flights_at(flights, i);
        const struct waiting_uop *uops = station_at(station, station_number(station, i, 0));
        uint64_t pipes = 0;
        for (unsigned u = 0, n = 0; u < flight->insn->n_uops && flight->counts.n_uops_left; u++)
            if (flight->insn->uops[u].is_bound) {
                pipes = pipes << BITS_OF_PIPE | uops[u].pipe;
                if (++n % (64 / BITS_OF_PIPE) == 0)
                    coder_put(coder, pipes);
            }
        if (flight->counts.n_uops_left)
            coder_put(coder, pipes);
    }
}

void station_put(const struct station *station, struct coder *coder, const struct flights *flights) {
    for (unsigned i = 0; i < CORE_N_SCHEDULERS; i++)
        coder_put(coder, station->n_entries[i]);
    coder_put(coder, station->n_in_wheel);
    for (unsigned q = 0; q < station->plan->n_queues && !coder->differs; q++)
        put_queue(station, &station->queues[q], station_number(station, flights->next, 0), coder);
    if (station->plan->has_bound)
        put_pipes(station, flights, coder);
}
