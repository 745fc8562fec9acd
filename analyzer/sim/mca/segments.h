// Private to this folder.
// Resources held over [acquire, release) cycles after issue, instead of from issue on: a calendar of which units are
// taken when. llvm-mca has nothing of the kind; the meaning is that of the machine scheduler
// (llvm/include/llvm/CodeGen/MachineScheduler.h, ResourceSegments).
#ifndef ANALYZER_SIM_MCA_SEGMENTS_H
#define ANALYZER_SIM_MCA_SEGMENTS_H

#include "analyzer/sim/coder.h"
#include "analyzer/sim/event.h"
#include "analyzer/sim/mca/plan.h"
#include "analyzer/sim/stash.h"

#include <stdbool.h>
#include <stdint.h>

struct resource_unit;

// The unit that one use of an instruction gets.
struct segment {
    uint8_t bit; // own bit of its resource
    uint64_t unit;
    int64_t from, to; // cycles
};

struct segments {
    uint64_t n_rows;       // cycles that the calendar reaches ahead; a power of two
    uint64_t *taken;       // by cycle and own bit of a resource: units
    int64_t last;          // cycle after the last one with a taken unit
    struct segment *tried; // of the instruction that is looked at
    unsigned n_tried;
};

struct segments *segments_new(const struct simulation_plan *plan, struct stash *stash);
// Forgets the cycle before `now`.
void segments_cycle(struct segments *segments, int64_t now);
bool segments_are_idle(const struct segments *segments, int64_t now);
// What influences later cycles.
void segments_put(const struct segments *segments, struct coder *coder);

// Resource that keeps the instruction from being issued now; 0: it can be.
uint64_t segments_busy(struct segments *segments, const struct resource_unit *unit, const struct plan_insn *insn,
                       int64_t now);
// Issues an instruction that can be; like resource_unit_issue.
unsigned segments_issue(struct segments *segments, struct resource_unit *unit, const struct plan_insn *insn,
                        int64_t now, struct event_use *uses);

#endif
