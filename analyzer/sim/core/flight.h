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
    unsigned position;
    const struct core_insn *insn;
    const struct core_access *access;
    int64_t ready[CORE_MOST_GROUPS];   // ticks; so far
    uint8_t n_waits[CORE_MOST_GROUPS]; // times that are not known yet
    uint8_t n_left[CORE_N_PARTS];      // uops that are not issued
    uint8_t n_uops_left;
    int64_t begin;   // ticks, of its first uop that computes; UNKNOWN: it has not begun
    int64_t done;    // ticks; so far
    bool has_result; // all of it is known
    bool has_data;   // what it stores
    bool is_renamed; // what it loads was found at rename
    bool is_reported;
    unsigned n_wait_nodes;
    uint64_t store;                       // its number among stores, where it stores
    int64_t results[CPU_MOST_WRITES + 1]; // ticks; UNKNOWN
    int32_t waiting[CPU_MOST_WRITES + 1]; // for them
};

struct flights {
    struct flight *ring;
    struct wait *waits; // most_waits of each place of the ring
    unsigned most_waits;
    uint32_t mask;         // places - 1
    uint64_t oldest, next; // indices
};

void flights_open(struct flights *flights, const struct core_plan *plan, unsigned places, struct stash *stash);

// With memory of its own, and what is in flight. `to` is equal.
void flights_copy(const struct flights *from, struct flights *to, struct stash *stash);

static inline struct flight *flights_at(const struct flights *flights, uint64_t index) {
    return &flights->ring[index & flights->mask];
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
