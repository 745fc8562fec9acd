// Private to this folder.
// Lists of instructions by the cycle in which they move on. A cycle's place is its number
// modulo the size: one list may hold instructions of several turns.
#ifndef ANALYZER_SIM_MCA_WHEEL_H
#define ANALYZER_SIM_MCA_WHEEL_H

#include "analyzer/sim/mca/flight.h"
#include "analyzer/sim/stash.h"

#include <stdint.h>

struct wheel {
    uint32_t *first; // slots; NO_SLOT: none
    uint64_t mask;
};

// `longest`: cycles ahead that instructions are added at, mostly; more is allowed.
void wheel_init(struct wheel *wheel, uint64_t longest, struct stash *stash);
void wheel_add(struct wheel *wheel, struct in_flight *insn, uint32_t slot, int64_t cycle);
// The list of a cycle, taken out; it goes on at `after`. It may hold instructions for the same place in a later turn of
// the wheel.
uint32_t wheel_take(struct wheel *wheel, int64_t cycle);

#endif
