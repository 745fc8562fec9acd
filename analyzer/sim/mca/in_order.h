// Private to this folder.
// llvm-mca's in-order core: its own unit, and its stage.
#ifndef ANALYZER_SIM_MCA_IN_ORDER_H
#define ANALYZER_SIM_MCA_IN_ORDER_H

#include "analyzer/sim/mca/units.h"

#include <stdbool.h>
#include <stdint.h>

enum in_order_stall {
    IN_ORDER_NO_STALL,
    IN_ORDER_OPERANDS,
    IN_ORDER_RESOURCES,
    IN_ORDER_MEMORY,
    IN_ORDER_COUNTERS,   // too many are left of what it waits for
    IN_ORDER_WRITE_BACK, // results would come out of order
};

struct in_order_stage {
    unsigned room;             // uops that can still be issued in this cycle
    unsigned taken;            // by another thread in this cycle: no room any more
    unsigned used;             // uops that went in this cycle, those carried on included
    unsigned issued;           // uops issued in it
    enum in_order_stall stall; // of the youngest instruction, which has entered but not been issued
    int64_t stall_cycles;      // before it is tried again
    bool is_carrying;          // the youngest instruction has more uops than the machine is wide
    unsigned carried_uops;     // of it, still to go
    int64_t last_write_back;   // cycles until the youngest instruction that retires in order is done
    uint32_t *issued_slots;    // of instructions being executed
    unsigned n_issued;
};

struct in_order {
    struct core core; // first
    struct mca_units units;
    struct in_order_stage stage;
    bool repeats_mistakes; // pipeline_options: mistakes_of_llvm_mca
};

void in_order_cycle(struct in_order *sim);

#endif
