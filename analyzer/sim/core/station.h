// Private to this folder.
// Uops between dispatch and issue: those that wait for a time that is known, and those that are ready and wait for a
// pipe, in queues by the pipes that they may take. The oldest goes first.
#ifndef ANALYZER_SIM_CORE_STATION_H
#define ANALYZER_SIM_CORE_STATION_H

#include "analyzer/sim/core/flight.h"

enum { NO_UOP = -1, WHEEL_CYCLES = 256 };

// Numbers of uops grow with their age: the index of the flight, and behind it, in the lowest bits, which of its uops.
// The place of a uop is the number modulo all places.
struct waiting_uop {
    uint64_t number;
    int64_t ready; // ticks
    int32_t next;  // place, in a list; NO_UOP: the last one
    uint8_t queue;
    uint8_t pipe; // chosen at rename
};

struct station {
    const struct core_plan *plan;
    struct waiting_uop *uops; // by place
    unsigned bits_of_uop;     // lowest bits of a number
    uint32_t mask;            // places - 1
    int32_t wheel[WHEEL_CYCLES];
    struct station_queue {
        uint64_t *ready; // by place, a bit each: it is in the queue
        unsigned n;
        uint64_t oldest; // number of the first one, where n > 0
    } queues[CORE_MOST_QUEUES];
    uint64_t filled; // queues that hold a uop, a bit each
    unsigned n_in_wheel;
    unsigned sizes[CORE_N_SCHEDULERS], n_entries[CORE_N_SCHEDULERS];
};

// `places`: of the flights, a power of two. `is_large`: schedulers have any number of entries.
void station_open(struct station *station, const struct core_plan *plan, unsigned places, bool is_large,
                  struct stash *stash);
bool station_has_room(const struct station *station, const struct core_insn *insn);
static inline uint64_t station_number(const struct station *station, uint64_t flight, unsigned uop) {
    return flight << station->bits_of_uop | uop;
}
static inline struct waiting_uop *station_at(const struct station *station, uint64_t number) {
    return &station->uops[number & station->mask];
}
// A uop of a flight is ready at a time; it may be issued from that cycle on.
void station_release(struct station *station, struct waiting_uop *uop, int64_t ready, int64_t cycle);
// What becomes ready in this cycle joins its queue.
void station_wake(struct station *station, int64_t cycle);
// The next cycle behind this one in which something becomes ready; soon enough to look again, where nothing does.
int64_t station_wakes_at(const struct station *station, int64_t cycle);
void station_queue(struct station *station, const struct waiting_uop *uop);
// The first uop of a queue that holds one.
static inline struct waiting_uop *station_first(const struct station *station, unsigned queue) {
    return station_at(station, station->queues[queue].oldest);
}
// It leaves its queue.
void station_remove_first(struct station *station, unsigned which);
// The queue whose first uop is the oldest, of these, a bit each; CORE_MOST_QUEUES: none of them holds one.
unsigned station_oldest(const struct station *station, uint64_t queues);

void station_put(const struct station *station, struct coder *coder, const struct flights *flights);

#endif
