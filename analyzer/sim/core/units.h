// Private to this folder.
// The state of a core of ours: all its units, and the stages that move instructions from one to the next.
#ifndef ANALYZER_SIM_CORE_UNITS_H
#define ANALYZER_SIM_CORE_UNITS_H

#include "analyzer/sim/core.h"
#include "analyzer/sim/core/front_end.h"
#include "analyzer/sim/core/memory.h"
#include "analyzer/sim/core/ports.h"
#include "analyzer/sim/core/rename.h"
#include "analyzer/sim/core/settled.h"
#include "analyzer/sim/core/station.h"
#include "analyzer/sim/core/store_table.h"
#include "analyzer/sim/core/watch.h"

// What can be taken out of the way, in the order of the knobs.
enum { RELAX_DEPENDENCES = 1, RELAX_REORDER_BUFFER = 2, RELAX_SCHEDULERS = 4, RELAX_QUEUES = 8, RELAX_RETIREMENT = 16 };

struct units {
    struct core core;
    const struct core_plan *plan;
    struct front_end front_end;
    struct rename rename;
    struct flights flights;
    struct station station;
    struct ports ports;
    struct memory memory;
    struct store_table stores;
    struct watch watch;
    struct settled *settled; // null: nobody asks
    struct gate dispatch, dispatch_vector, retirement;
    int64_t ticks_of_slot, ticks_of_vector_slot, ticks_of_retired; // 0: any number in a cycle
    unsigned n_slots, most_slots;                                  // in the reorder buffer
    unsigned n_loads, most_loads, most_stores;                     // in their queues
    bool dispatches_whole;                                         // two slots of one instruction in one cycle
    unsigned most_fields;                                          // in a group of dispatch, of CPU_DISPATCH_FIELDS
    unsigned turn;                                                 // whose accesses come next
    bool is_watched;                                               // somebody listens to what is dispatched
    unsigned relaxed;
    int64_t moved;          // the last cycle in which something did
    int64_t all_done;       // ticks, when the last of what has retired was done
    unsigned *no_registers; // by register file, zeros: for reports
};

void units_retire(struct units *units);
void units_execute(struct units *units);
void units_dispatch(struct units *units);

// A time is known: those that wait for it go on.
void units_arrive(struct units *units, int32_t list, int64_t ticks);
// All that it computes with is there, at that time.
void units_complete_value(struct units *units, struct flight *flight, int64_t ready);
// All that a group of the flight waits for is known.
void units_complete(struct units *units, struct flight *flight, enum core_group group);
// All but the front end, for the state. `kept_stores`: as in store_table.h.
void units_put_back_end(const struct units *units, struct coder *coder, unsigned kept_stores);
// Whether all that the flight does has a time.
bool units_is_over(const struct flight *flight);

#endif
