// One run: the units, the stages that move instructions through them, and who listens. Private to the pipeline.
#ifndef ANALYZER_PIPELINE_SIMULATION_H
#define ANALYZER_PIPELINE_SIMULATION_H

#include "analyzer/pipeline/event.h"
#include "analyzer/pipeline/flight.h"
#include "analyzer/pipeline/in_order.h"
#include "analyzer/pipeline/load_store.h"
#include "analyzer/pipeline/pipeline.h"
#include "analyzer/pipeline/plan.h"
#include "analyzer/pipeline/register_file.h"
#include "analyzer/pipeline/reorder_buffer.h"
#include "analyzer/pipeline/resources.h"
#include "analyzer/pipeline/scheduler.h"

struct simulation {
    const struct machine *machine;
    const struct block *block;
    struct plan plan;
    struct flight flight;
    struct register_unit registers;
    struct reorder_buffer reorder_buffer;
    struct memory_unit memory;
    struct resource_unit resources;
    struct scheduler scheduler;
    struct event_listener *const *listeners; // null-terminated

    int64_t now;
    uint64_t next, total; // index of the next instruction to dispatch; number of them
    unsigned mistakes_of_llvm;
    bool has_moved; // something happened in this cycle

    unsigned dispatch_width;
    unsigned dispatch_room; // uops that can still be dispatched in this cycle
    unsigned carried_uops;  // of the last instruction dispatched, wider than the machine, still to go
    struct in_order_stage in_order;

    struct event_use *uses; // of the instruction being issued
    const unsigned *no_registers;
};

// Out of order. Each stage begins the cycle, youngest stage last; then instructions are dispatched while they can be.
void retire_cycle(struct simulation *sim);
void execute_cycle(struct simulation *sim);
void dispatch_cycle(struct simulation *sim);
bool dispatch_can(struct simulation *sim, const struct plan_insn *insn);
void dispatch(struct simulation *sim);

// A dispatched instruction enters the execute stage; an executed one may retire later.
bool execute_can(struct simulation *sim, const struct plan_insn *insn, uint64_t index);
void execute(struct simulation *sim, struct in_flight *insn);

static inline struct event_insn event_insn_of(const struct in_flight *insn) {
    return (struct event_insn){.index = insn->index, .position = insn->position, .insn = insn->plan->insn};
}

// Calls `call` of every listener that has it: TELL(sim, retired, &event, registers).
#define TELL(sim, call, ...)                                                                                           \
    do {                                                                                                               \
        for (struct event_listener *const *l_ = (sim)->listeners; *l_ != NULL; l_++)                                   \
            if ((*l_)->call != NULL)                                                                                   \
                (*l_)->call((*l_)->self, __VA_ARGS__);                                                                 \
    } while (0)

#endif
