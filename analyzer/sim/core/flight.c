#include "analyzer/sim/core/flight.h"

#include <assert.h>
#include <string.h>

void flights_open(struct flights *flights, const struct core_plan *plan, unsigned places, struct stash *stash) {
    *flights = (struct flights){.mask = places - 1, .most_waits = plan->most_reads + MEMORY_WAITS};
    flights->flight_bytes = (unsigned)(sizeof(struct flight) + plan->most_writes * sizeof(struct flight_result));
    flights->ring = stash_array(stash, places, flights->flight_bytes);
    flights->waits = STASH_ARRAY(stash, struct wait, (size_t)places * flights->most_waits);
}

struct flight *flights_enter(struct flights *flights, const struct core_insn *insn, const struct core_access *access,
                             unsigned position) {
    struct flight *flight = flights_at(flights, flights->next);
    flight->index = flights->next++;
    flight->position = position;
    flight->insn = insn;
    flight->access = access;
    memset(flight->ready, 0, sizeof flight->ready); // also of groups that it has not: a known size takes no call
    flight->counts = (struct flight_counts){.n_uops_left = (uint8_t)insn->n_uops};
    memcpy(flight->counts.n_left, insn->n_of_part, sizeof flight->counts.n_left);
    flight->begin = UNKNOWN;
    flight->done = 0;
    flight->is_renamed = flight->is_reported = false;
    for (unsigned w = 0; w < insn->n_writes; w++) {
        flight->results[w].ticks = UNKNOWN;
        flight->results[w].waiting = NO_WAIT;
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
    flight->counts.n_waits[group]++;
}

// What follows from the positions (who waits for whom) is left out. The newest come first: old ones are mostly over,
// and alike.
void flights_put(const struct flights *flights, struct coder *coder) {
    enum { MOST_WORDS = 4 + CORE_MOST_GROUPS + CORE_MOST_WRITES };
    const int64_t now = ticks_at(coder->now), before = ticks_at(coder->now - coder->back);
    uint64_t aside[MOST_WORDS];
    coder_put(coder, flights->next - flights->oldest);
    for (uint64_t i = flights->next; i > flights->oldest && !coder->differs; i--) {
        const struct flight *flight = flights_at(flights, i - 1);
        const unsigned n_groups = core_n_groups(flight->insn), n_writes = flight->insn->n_writes;
        uint64_t *words = coder_begin(coder, aside, MOST_WORDS);
        unsigned n = 0;
        memcpy(words, &flight->counts, sizeof flight->counts);
        n += sizeof flight->counts / sizeof *words;
        words[n++] = ticks_since(flight->done, now);
        for (unsigned g = 0; g < n_groups; g++)
            words[n++] = ticks_since(flight->ready[g], now);
        if (!flight->counts.has_result)
            words[n++] = ticks_since(flight->begin, before);
        for (unsigned w = 0; w < n_writes; w++)
            words[n++] = ticks_since(flight->results[w].ticks, before);
        coder_end(coder, words, n);
    }
}
