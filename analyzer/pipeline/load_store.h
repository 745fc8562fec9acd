// Order of loads and stores, and the queues they sit in. Private to the pipeline.
// Behaviour: llvm/lib/MCA/HardwareUnits/LSUnit.cpp.
//
// Memory operations that wait for the same older ones form a group. A group waits for older groups either to finish
// (data) or only to start (order).
#ifndef ANALYZER_PIPELINE_LOAD_STORE_H
#define ANALYZER_PIPELINE_LOAD_STORE_H

#include "analyzer/pipeline/flight.h"
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAX_OLDER_GROUPS = 3 }; // that one group waits for

struct memory_group {
    uint64_t id;                               // in order of creation, from 1
    unsigned older, older_started, older_done; // groups it waits for; of these, executing and done
    unsigned insns, started, done;             // its own instructions; of these, executing and done
    int32_t order_waiters, data_waiters;       // links of the groups that wait for it
    unsigned n_waiters;
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
    unsigned load_queue, store_queue; // entries; 0: unlimited
    unsigned loads, stores;           // entries in use
    bool assume_alias;
    struct memory_group *groups;
    struct memory_link *links;
    int32_t *free_groups;
    unsigned n_free;
    uint64_t last_id;
    struct memory_current load, load_barrier, store, store_barrier;
    bool has_changed; // some group no longer waits for something, since this was last cleared
};

enum memory_queue { QUEUE_FREE, QUEUE_LOADS_FULL, QUEUE_STORES_FULL };

// `n_groups`: memory operations that can be in flight.
void memory_unit_init(struct memory_unit *unit, uint64_t n_groups, struct arena *arena);

enum memory_queue memory_unit_queues(const struct memory_unit *unit, const struct insn *insn);
void memory_unit_dispatch(struct memory_unit *unit, struct in_flight *insn);
void memory_unit_issue(struct memory_unit *unit, const struct in_flight *insn);
void memory_unit_execute(struct memory_unit *unit, const struct in_flight *insn);
void memory_unit_retire(struct memory_unit *unit, const struct in_flight *insn);

// Older operations it waits for: some have not started; all have started, not all are done; all are done.
bool memory_unit_is_waiting(const struct memory_unit *unit, const struct in_flight *insn);
bool memory_unit_is_pending(const struct memory_unit *unit, const struct in_flight *insn);
bool memory_unit_is_ready(const struct memory_unit *unit, const struct in_flight *insn);
bool memory_unit_has_waiters(const struct memory_unit *unit, const struct in_flight *insn);

#endif
