// Private to this folder.
// Order of loads and stores, and the queues they sit in.
// Behaviour: llvm/lib/MCA/HardwareUnits/LSUnit.cpp.
//
// Memory operations that wait for the same older ones form a group. A group waits for older groups either to finish
// (data) or only to start (order).
#ifndef ANALYZER_SIM_MCA_LOAD_STORE_H
#define ANALYZER_SIM_MCA_LOAD_STORE_H

#include "analyzer/sim/coder.h"
#include "analyzer/sim/mca/flight.h"
#include "analyzer/sim/stash.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAX_OLDER_GROUPS = 3 }; // that one group waits for

struct memory_group {
    uint64_t id;                               // in order of creation, from 1
    unsigned older, older_started, older_done; // groups it waits for; of these, executing and done
    unsigned insns, started, done;             // its own instructions; of these, executing and done
    int32_t order_waiters, data_waiters;       // links of the groups that wait for it
    uint32_t first_insn;                       // slots of its instructions, the youngest first, linked by next_insn
    // Kept only where somebody listens. Its instruction that takes longest, of those being executed; the older group's
    // one that it has to wait for longest, and the cycle up to which that has been counted down.
    uint32_t slowest;
    struct event_dependence critical;
    int64_t counted_to;
};

// Group `link / MAX_OLDER_GROUPS` waits; links of one older group form a list.
struct memory_link {
    int32_t next; // NOT_YET ends the list
};

struct memory_current {
    uint64_t id; // 0: none
    int32_t group;
};

struct memory_unit {
    struct flight *flight;
    unsigned load_queue, store_queue; // entries; 0: unlimited
    unsigned loads, stores;           // entries in use
    bool assume_alias;
    bool notes_dependences; // somebody wants to know what instructions waited for
    struct memory_group *groups;
    struct memory_link *links;
    uint64_t group_mask; // a group's place follows from its id
    uint32_t *next_insn; // by slot of an instruction
    uint64_t last_id;
    struct memory_current load, load_barrier, store, store_barrier;
    int32_t *woken; // groups that no longer wait for something, since n_woken was cleared; may hold one twice
    unsigned n_woken;
};

enum memory_queue { QUEUE_FREE, QUEUE_LOADS_FULL, QUEUE_STORES_FULL };

// `n_groups`: memory operations that can be in flight.
void memory_unit_init(struct memory_unit *unit, struct flight *flight, uint64_t n_groups, struct stash *stash);

// To be asked of any instruction: what is not a memory operation finds room.
static inline enum memory_queue memory_unit_queues(const struct memory_unit *unit, const struct plan_insn *insn) {
    // 0: unlimited, as 0 less one is the largest unsigned number.
    if (insn->may_load & (unit->loads > unit->load_queue - 1U))
        return QUEUE_LOADS_FULL;
    if (insn->may_store & (unit->stores > unit->store_queue - 1U))
        return QUEUE_STORES_FULL;
    return QUEUE_FREE;
}

void memory_unit_dispatch(struct memory_unit *unit, struct in_flight *insn, int64_t now);
void memory_unit_issue(struct memory_unit *unit, const struct in_flight *insn, int64_t now);
void memory_unit_execute(struct memory_unit *unit, const struct in_flight *insn);
// Of any instruction, as above.
static inline void memory_unit_retire(struct memory_unit *unit, const struct in_flight *insn) {
    unit->loads -= insn->plan->may_load;
    unit->stores -= insn->plan->may_store;
}

// Older operations it waits for: some have not started; all have started, not all are done; all are done.
bool memory_unit_is_waiting(const struct memory_unit *unit, const struct in_flight *insn);
bool memory_unit_is_pending(const struct memory_unit *unit, const struct in_flight *insn);
bool memory_unit_is_ready(const struct memory_unit *unit, const struct in_flight *insn);
// What influences later cycles: of the unit; of the group of a memory operation in flight. `last_group`: id of the
// group of the one before, 0 at the beginning; the youngest operation comes first.
void memory_unit_put(const struct memory_unit *unit, struct coder *coder);
void memory_unit_put_insn(const struct memory_unit *unit, const struct in_flight *insn, uint64_t *last_group,
                          struct coder *coder);
// What it waited for, where somebody listens.
struct event_dependence memory_unit_critical(const struct memory_unit *unit, const struct in_flight *insn);

#endif
