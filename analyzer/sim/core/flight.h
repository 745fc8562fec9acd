// Private to this folder.
// Instructions in flight: from dispatch to retirement, in a ring by index. What they wait for, and who waits for them.
#ifndef ANALYZER_SIM_CORE_FLIGHT_H
#define ANALYZER_SIM_CORE_FLIGHT_H

#include "analyzer/sim/coder.h"
#include "analyzer/sim/core/plan.h"
#include "analyzer/sim/core/ticks.h"
#include "analyzer/sim/stash.h"

enum { NO_WAIT = -1, MEMORY_WAITS = 2 }; // MEMORY_WAITS: of a load, for the store that it meets
static const int64_t UNKNOWN = INT64_MAX;

// An instruction waits for a time that is not known yet. A list of those that wait for the same.
struct wait {
    int64_t more; // ticks, added to that time
    int32_t next; // NO_WAIT: the last one
    uint16_t flight, group;
};

struct flight {
    uint64_t index; // in execution order
    const struct core_insn *insn;
    const struct core_access *access;
    int64_t begin;  // ticks, of its first uop that computes; UNKNOWN: it has not begun
    int64_t done;   // ticks; so far
    uint64_t store; // its number among stores, where it stores
    unsigned position;
    struct flight_counts {                 // two words, of which each byte is set: the state has them as they are
        uint8_t n_waits[CORE_MOST_GROUPS]; // times that are not known yet
        uint8_t n_left[CORE_N_PARTS];      // uops that are not issued
        uint8_t n_uops_left;
        bool has_result; // all of it is known
        bool has_data;   // what it stores
        uint8_t none[4];
    } counts;
    uint8_t n_wait_nodes;
    bool is_renamed; // what it loads was found at rename
    bool is_reported;
    int64_t ready[CORE_MOST_GROUPS]; // ticks; so far
    struct flight_result {
        int64_t ticks;   // UNKNOWN
        int32_t waiting; // for that
    } results[];         // as many as any instruction of the block writes: all of the ring are to fit into a cache
};

struct flights {
    char *ring;
    struct wait *waits; // most_waits of each place of the ring
    unsigned most_waits, flight_bytes;
    uint32_t mask;         // places - 1
    uint64_t oldest, next; // indices
};

void flights_open(struct flights *flights, const struct core_plan *plan, unsigned places, struct stash *stash);

static inline struct flight *flights_in(const struct flights *flights, size_t place) {
    return (struct flight *)(void *)(flights->ring + place * flights->flight_bytes);
}
static inline struct flight *flights_at(const struct flights *flights, uint64_t index) {
    return flights_in(flights, index & flights->mask);
}
static inline bool flights_are_full(const struct flights *flights) {
    return flights->next - flights->oldest > flights->mask;
}
struct flight *flights_enter(struct flights *flights, const struct core_insn *insn, const struct core_access *access,
                             unsigned position);
// The flight waits for a time that the list is about: adds it to the list.
void flights_wait(struct flights *flights, struct flight *flight, enum core_group group, int64_t more, int32_t *list);

void flights_put(const struct flights *flights, struct coder *coder);

#endif
