#include "analyzer/sim/core/flight.h"

#include <assert.h>
#include <string.h>

void flights_open(struct flights *flights, const struct core_plan *plan, unsigned places, struct stash *stash) {
    *flights = (struct flights){.mask = places - 1, .most_waits = plan->most_reads + MEMORY_WAITS};
    flights->ring = STASH_ARRAY(stash, struct flight, places);
    flights->waits = STASH_ARRAY(stash, struct wait, (size_t)places * flights->most_waits);
}

void flights_copy(const struct flights *from, struct flights *to, struct stash *stash) {
    const size_t places = (size_t)from->mask + 1;
    to->ring = STASH_ARRAY(stash, struct flight, places);
    to->waits = STASH_ARRAY(stash, struct wait, places * from->most_waits);
    for (uint64_t i = from->oldest; i < from->next; i++) {
        const struct flight *flight = flights_at(from, i);
        const size_t place = i & from->mask, first = place * from->most_waits;
        to->ring[place] = *flight;
        memcpy(&to->waits[first], &from->waits[first], flight->n_wait_nodes * sizeof *to->waits);
    }
}

struct flight *flights_enter(struct flights *flights, const struct core_insn *insn, const struct core_access *access,
                             unsigned position) {
    struct flight *flight = flights_at(flights, flights->next);
    flight->index = flights->next++;
    flight->position = position;
    flight->insn = insn;
    flight->access = access;
    memset(flight->ready, 0, sizeof flight->ready); // also of groups that it has not: a known size takes no call
    memset(flight->n_waits, 0, sizeof flight->n_waits);
    memcpy(flight->n_left, insn->n_of_part, sizeof flight->n_left);
    flight->n_uops_left = (uint8_t)insn->n_uops;
    flight->begin = UNKNOWN;
    flight->done = 0;
    flight->has_result = flight->has_data = flight->is_renamed = flight->is_reported = false;
    for (unsigned w = 0; w < insn->n_writes; w++) {
        flight->results[w] = UNKNOWN;
        flight->waiting[w] = NO_WAIT;
    }
    flight->n_wait_nodes = 0;
    return flight;
}

void flights_wait(struct flights *flights, struct flight *flight, enum core_group group, int64_t more, int32_t *list) {
    uint32_t place = (uint32_t)(flight->index & flights->mask);
    assert(flight->n_wait_nodes < flights->most_waits);
    int32_t node = (int32_t)(place * flights->most_waits + flight->n_wait_nodes++);
    flights->waits[node] =
        (struct wait){.next = *list, .flight = (uint16_t)place, .group = (uint16_t)group, .more = more};
    *list = node;
    flight->n_waits[group]++;
}

static uint64_t counts_of(const struct flight *flight) {
    uint64_t counts = flight->n_uops_left;
    for (unsigned p = 0; p < CORE_N_PARTS; p++)
        counts = counts << 5 | flight->n_left[p];
    for (unsigned g = 0; g < core_n_groups(flight->insn); g++)
        counts = counts << 5 | flight->n_waits[g];
    return counts << 2 | (uint64_t)flight->has_result << 1 | flight->has_data;
}

// What follows from the positions (who waits for whom) is left out. The newest come first: old ones are mostly over,
// and alike.
void flights_put(const struct flights *flights, struct coder *coder) {
    coder_put(coder, flights->next - flights->oldest);
    for (uint64_t i = flights->next; i > flights->oldest && !coder->differs; i--) {
        const struct flight *flight = flights_at(flights, i - 1);
        coder_put(coder, counts_of(flight));
        put_ticks(coder, flight->done, 0);
        for (unsigned g = 0; g < core_n_groups(flight->insn); g++)
            put_ticks(coder, flight->ready[g], 0);
        if (!flight->has_result)
            put_ticks(coder, flight->begin, LONGEST_LOOK_BACK);
        for (unsigned w = 0; w < flight->insn->n_writes; w++)
            put_ticks(coder, flight->results[w], LONGEST_LOOK_BACK);
    }
}
