// Private to this folder.
// llvm-mca's out-of-order core: its own units and stages. A cycle begins with the stage that instructions meet last.
#ifndef ANALYZER_SIM_MCA_OUT_OF_ORDER_H
#define ANALYZER_SIM_MCA_OUT_OF_ORDER_H

#include "analyzer/sim/mca/micro_op_queue.h"
#include "analyzer/sim/mca/pressure.h"
#include "analyzer/sim/mca/reorder_buffer.h"
#include "analyzer/sim/mca/scheduler.h"
#include "analyzer/sim/mca/units.h"

struct out_of_order {
    struct core core; // first
    struct mca_units units;
    struct reorder_buffer reorder_buffer;
    struct scheduler scheduler;
    struct pressure pressure;
    struct micro_op_queue queue;
    unsigned dispatch_width; // uops a cycle
    unsigned dispatch_room;  // uops that can still be dispatched in this cycle
    unsigned carried_uops;   // of the last instruction dispatched, wider than the machine, still to go
};

void retire_cycle(struct out_of_order *sim);
void execute_cycle(struct out_of_order *sim);
void dispatch_cycle(struct out_of_order *sim); // the whole stage

bool dispatch_can(struct out_of_order *sim);
void dispatch(struct out_of_order *sim);

// A dispatched instruction enters the execute stage; an executed one may retire later.
bool execute_can(struct out_of_order *sim, const struct plan_insn *insn);
void execute(struct out_of_order *sim, struct in_flight *insn);

// The next instruction to dispatch.
static inline struct event_insn event_next(const struct out_of_order *sim) {
    return core_event(&sim->core, sim->core.next, sim->core.next_position);
}

#endif
