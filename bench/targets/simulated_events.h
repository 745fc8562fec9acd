// Private to this folder.
// Events that a simulated CPU counts besides cycles and instructions: "uops" (retired), and the uops issued to a
// resource of its model, by the resource's name. Part of simulated.c.
#ifndef BENCH_TARGETS_SIMULATED_EVENTS_H
#define BENCH_TARGETS_SIMULATED_EVENTS_H

#include "analyzer/sched/machine.h"
#include "analyzer/sim/event.h"
#include "bench/target.h"

struct sim_events {
    unsigned n;
    unsigned resources[TARGET_MAX_EVENTS]; // indices of resources; 0: uops
};

// Reads the requested names and divides them into the target's groups. An unknown name is FAIL_INPUT.
bool sim_events_choose(struct arena *arena, const struct machine *machine, const struct target_request *request,
                       struct sim_events *events, struct target *target, struct fail *fail);

// Counts while the pipeline runs.
struct sim_event_counter {
    const struct sim_events *events;
    struct event_listener listener;
    uint64_t counts[TARGET_MAX_EVENTS], marked[TARGET_MAX_EVENTS];
};
void sim_event_counter_start(struct sim_event_counter *counter, const struct sim_events *events);

#endif
