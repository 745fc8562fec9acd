// Private to this folder.
// Instructions in flight, and what waits for what.
//
// A ring of slots; an instruction's slot follows from its index in execution order. Slots of retired instructions stay
// readable for a while, because a slow forwarding path (negative read-advance) may still delay a reader then.
// All times are absolute cycles, so nothing needs to be counted down.
#ifndef ANALYZER_SIM_MCA_FLIGHT_H
#define ANALYZER_SIM_MCA_FLIGHT_H

#include "analyzer/sim/coder.h"
#include "analyzer/sim/event.h"
#include "analyzer/sim/mca/plan.h"
#include "analyzer/sim/stash.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { NOT_YET = -1 };
#define NEVER INT64_MAX // a cycle that does not come

// Indices that no instruction has, not even a bit before the first; and a slot that there is not.
#define EMPTY_SLOT (UINT64_MAX / 2)
#define NOBODY UINT64_MAX
#define NO_SLOT UINT32_MAX

enum stage {
    STAGE_WAITING,  // it is not known when operands will be there
    STAGE_PENDING,  // known, but not yet there
    STAGE_READY,    // for a free pipe
    STAGE_ISSUED,   // executed as well, once `done_cycle` is over
    STAGE_EXECUTED, // in-order machines only: written back, while some of its uops are still to be issued
    STAGE_RETIRED,
};

struct in_flight {
    uint64_t index; // in execution order
    const struct plan_insn *plan;
    union {
        int64_t ready_cycle; // until it is ready: operands are there, as far as known
        int64_t rank;        // while it is ready: the smallest goes first
    };
    int64_t issue_cycle; // NOT_YET before
    int64_t done_cycle;  // write-back; NEVER before it is issued
    uint32_t users;      // younger instructions that were found to wait for its results before it was issued
    int32_t memory_group;
    uint32_t before, after; // slots of its neighbours in the list it is in
    uint16_t n_edges;       // older results it was found to wait for, when they were not issued yet
    uint16_t unknown;       // of those, still not issued
    uint8_t stage;          // enum stage
    bool is_eliminated;
    bool is_new;        // dispatched in this cycle, and pending; cleared only where somebody listens to pressure
    uint8_t zero_moves; // of those that were eliminated, from registers known to be zero
};

// One younger instruction waiting for one result. Edges belong to the waiting instruction's slot.
struct edge {
    int32_t next; // of the same producer, younger before older; NOT_YET ends the list
    uint32_t waiter;
    int32_t advance;         // cycles before the result is complete at which the waiter may go
    uint16_t write, operand; // of the producer; of the waiter
};

// What one operand waited for longest: reads in order, then writes that merge. Kept only where somebody listens.
struct operand_dependence {
    struct event_dependence on;
    int64_t until; // cycle in which it ends
};

struct flight {
    const struct simulation_plan *plan;
    struct in_flight *slots;
    uint64_t slot_mask;
    int32_t *first_edge;                    // by slot; holds where the instruction has users
    struct edge *edges;                     // by slot
    struct operand_dependence *dependences; // by slot and operand; null: nobody listens
    uint32_t *woken;  // slots of those whose last unknown result became known since n_woken was cleared
    uint32_t *bumped; // slots of ready ones that got users since n_bumped was cleared
    unsigned n_woken, n_bumped;
};

// `n_slots`: instructions that can be in flight.
void flight_init(struct flight *flight, const struct simulation_plan *plan, uint64_t n_slots, bool has_dependences,
                 struct stash *stash);

static inline struct in_flight *flight_at(const struct flight *flight, uint64_t index) {
    return &flight->slots[index & flight->slot_mask];
}

static inline uint32_t flight_slot(const struct flight *flight, const struct in_flight *insn) {
    return (uint32_t)(insn->index & flight->slot_mask);
}

// Notes of operands' dependences begin anew.
void flight_forget_notes(struct flight *flight, const struct in_flight *insn);

static inline struct in_flight *flight_enter(struct flight *flight, uint64_t index, const struct plan_insn *plan) {
    struct in_flight *insn = flight_at(flight, index);
    assert(insn->stage == STAGE_RETIRED);
    *insn = (struct in_flight){
        .index = index, .plan = plan, .memory_group = NOT_YET, .issue_cycle = NOT_YET, .done_cycle = NEVER};
    if (flight->dependences != NULL)
        flight_forget_notes(flight, insn);
    return insn;
}

// Cycles until a result of an issued instruction is complete; negative after that. A result's age stops at write-back:
// over a slow forwarding path a reader waits that long after any cycle until retirement.
int64_t flight_cycles_left(const struct in_flight *insn, unsigned write, int64_t now);

// A dependence of one operand of an instruction.
struct wait {
    unsigned write; // of the producer
    int advance;
    unsigned operand; // as in operand_dependence
};

// Makes `waiter` wait for a write of `producer`.
void flight_wait(struct flight *flight, struct in_flight *waiter, struct in_flight *producer, struct wait wait,
                 int64_t now);
// Notes what an operand waits for, if somebody listens: `cycles` from now.
void flight_note(struct flight *flight, const struct in_flight *waiter, const struct in_flight *producer,
                 struct wait wait, int64_t now, int64_t cycles);

void flight_wake_users(struct flight *flight, const struct in_flight *insn, int64_t now);

// Notes the issue of `insn`, and when those that wait for its results will have them.
static inline void flight_issue(struct flight *flight, struct in_flight *insn, int64_t now) {
    insn->issue_cycle = now;
    insn->done_cycle = now + insn->plan->latency;
    if (insn->users != 0)
        flight_wake_users(flight, insn, now);
}

// Whether a slot holds the instruction of that index, and it is in flight.
static inline bool flight_has(const struct in_flight *insn, uint64_t index) {
    return insn->index == index && insn->stage != STAGE_RETIRED;
}

// For units that put their state. How long ago a result was complete; from the plan's max_delay on no reader is late
// any more.
static inline uint64_t flight_cycles_ago(const struct flight *flight, const struct coder *coder, int64_t cycle) {
    uint64_t ago = (uint64_t)(coder->now - cycle);
    return ago < flight->plan->max_delay ? ago : flight->plan->max_delay;
}

// What influences later cycles: of an instruction in flight, and of the `most` before `first` that have retired and may
// still delay a reader. Which instruction it is follows from their order, where they retire in order; a core in which
// they do not adds their indices.
void flight_put_insn(const struct flight *flight, const struct in_flight *insn, struct coder *coder);
void flight_put_history(const struct flight *flight, uint64_t first, uint64_t most, struct coder *coder);

// What `insn` waited for: llvm-mca takes the last source that waited at all, else the last destination.
struct event_dependence flight_critical(const struct flight *flight, const struct in_flight *insn);

#endif
