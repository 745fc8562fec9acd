// Instructions in flight, and what waits for what. Private to the pipeline.
//
// A ring of slots; an instruction's slot follows from its index in execution order. Slots of retired instructions stay
// readable for a while, because a slow forwarding path (negative read-advance) may still delay a reader then.
// All times are absolute cycles, so nothing needs to be counted down.
#ifndef ANALYZER_PIPELINE_FLIGHT_H
#define ANALYZER_PIPELINE_FLIGHT_H

#include "analyzer/pipeline/plan.h"
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { NOT_YET = -1 };

// Indices that no instruction has.
#define EMPTY_SLOT (UINT64_MAX - 1)
#define NOBODY UINT64_MAX

struct in_flight {
    uint64_t index; // in execution order
    const struct plan_insn *plan;
    unsigned position; // in the block
    uint32_t slot;
    uint32_t n_edges; // older results it was found to wait for, when they were not issued yet
    uint32_t unknown; // of those, still not issued
    uint32_t users;   // younger instructions that were found to wait for its results before it was issued
    int32_t memory_group;
    int64_t ready_cycle; // operands are there, as far as known
    int64_t issue_cycle; // NOT_YET before
    int64_t done_cycle;  // write-back; holds once issued
    bool is_eliminated, is_executed, is_retired;
};

// One younger instruction waiting for one write. Edges belong to the waiting instruction's slot.
struct edge {
    int32_t next; // of the same write; NOT_YET ends the list
    uint32_t waiter;
    int32_t advance; // cycles before the result is complete at which the waiter may go
};

struct flight {
    const struct plan *plan;
    struct in_flight *slots;
    uint64_t slot_mask;
    int32_t *first_edge; // by slot and write
    struct edge *edges;  // by slot
    unsigned n_woken;    // instructions whose last unknown result became known since this was last cleared
};

// `n_slots`: instructions that can be in flight.
void flight_init(struct flight *flight, const struct plan *plan, uint64_t n_slots, struct arena *arena);

static inline struct in_flight *flight_at(const struct flight *flight, uint64_t index) {
    return &flight->slots[index & flight->slot_mask];
}

struct in_flight *flight_enter(struct flight *flight, uint64_t index);

// Cycles until a result of an issued instruction is complete; negative after that. A result's age stops at write-back:
// over a slow forwarding path a reader waits that long after any cycle until retirement.
int64_t flight_cycles_left(const struct in_flight *insn, unsigned write, int64_t now);

// Makes `waiter` wait for a write of `producer`.
void flight_wait(struct flight *flight, struct in_flight *waiter, struct in_flight *producer, unsigned write,
                 int advance, int64_t now);

// Notes the issue of `insn`, and tells those that wait for its results when these will be there.
void flight_issue(struct flight *flight, struct in_flight *insn, int64_t now);

#endif
