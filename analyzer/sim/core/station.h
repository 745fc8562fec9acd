// Private to this folder.
// Uops between dispatch and issue: those that wait for a time that is known, and those that are ready and wait for a
// pipe, in queues by the pipes that they may take. The oldest goes first.
#ifndef ANALYZER_SIM_CORE_STATION_H
#define ANALYZER_SIM_CORE_STATION_H

#include "analyzer/sim/core/flight.h"

enum { NO_UOP = -1, WHEEL_CYCLES = 256 };

struct waiting_uop {
    int32_t next, previous;
    uint32_t queue;
    unsigned pipe; // chosen at rename
    int64_t ready; // ticks
    uint64_t age;
};

struct station {
    const struct core_plan *plan;
    struct waiting_uop *uops; // plan->most_uops of each place of the flights
    int32_t wheel[WHEEL_CYCLES], first[CORE_MOST_QUEUES], last[CORE_MOST_QUEUES];
    uint64_t filled; // queues that hold a uop, a bit each
    unsigned n_in_wheel;
    unsigned sizes[CORE_N_SCHEDULERS], n_entries[CORE_N_SCHEDULERS];
};

// `is_large`: schedulers have any number of entries.
void station_open(struct station *station, const struct core_plan *plan, unsigned places, bool is_large,
                  struct stash *stash);
bool station_has_room(const struct station *station, const struct core_insn *insn);
// A uop of a flight is ready at a time; it may be issued from that cycle on.
void station_release(struct station *station, int32_t uop, int64_t ready, int64_t cycle);
// What becomes ready in this cycle joins its queue.
void station_wake(struct station *station, int64_t cycle);
// The next cycle behind this one in which something becomes ready; soon enough to look again, where nothing does.
int64_t station_wakes_at(const struct station *station, int64_t cycle);
void station_queue(struct station *station, int32_t uop);
void station_remove(struct station *station, int32_t uop);
// The queue whose first uop is the oldest, of those that have one of the pipes, or need none, but for those that are
// shut, a bit each; CORE_MOST_QUEUES: there is no such.
unsigned station_oldest(const struct station *station, uint64_t pipes, uint64_t shut);

void station_put(const struct station *station, struct coder *coder, const struct flights *flights);

#endif
