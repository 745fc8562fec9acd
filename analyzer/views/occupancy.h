// Which unit of which resource is held by which instruction, and when; and when each instruction begins and ends. For
// pictures of a few instructions: everything is kept.
#ifndef ANALYZER_VIEWS_OCCUPANCY_H
#define ANALYZER_VIEWS_OCCUPANCY_H

#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "analyzer/sim/event.h"
#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

// Cycles are counted from the first issue of all.
struct occupied {
    uint64_t insn;           // its index in execution order
    unsigned resource, unit; // index of the machine's resource; which of its units, from 0
    uint64_t from, to;       // cycles: [from, to)
};

struct occupancy {
    struct arena *arena;
    const struct machine *machine;
    struct occupied *items; // in the order of issue
    size_t n_items;
    uint64_t *issues; // cycle of issue, in the order of issue
    size_t n_issues;
    uint64_t end;          // cycle at whose beginning the last result is there
    uint64_t cycle, first; // now; of the first issue
};

// `occupancy` is zeroed but for `arena` and `machine`; it hears of every cycle, so the pipeline skips none.
struct event_listener occupancy_listener(struct occupancy *occupancy);

#endif
