// Private to this folder.
// Instructions that are ready to issue. They wait in one list for each way to use resources,
// the first to go first: if that one finds no free pipe, none of the list does for the rest of the cycle.
//
// The instructions themselves are in `flight`, which each call gets: to load it from here would cost the cycle loop
// time.
#ifndef ANALYZER_SIM_MCA_READY_LISTS_H
#define ANALYZER_SIM_MCA_READY_LISTS_H

#include "analyzer/sim/mca/flight.h"
#include "analyzer/sim/stash.h"

#include <stdbool.h>
#include <stdint.h>

struct ready_list {
    uint32_t first, last;          // slots
    const struct plan_insn *alike; // one that uses resources as they do
};

struct ready_lists {
    struct ready_list *lists; // by issue class
    uint64_t *has_any;        // bits of issue classes
    unsigned n_words;         // of these
    unsigned n_classes;
    // Lists from which something may still be issued in this cycle, by the rank of their first; known while
    // `is_ordered`.
    struct ready_list **order, **order_end; // within `all_lists`
    struct ready_list **all_lists;
    bool is_ordered;
};

void ready_lists_init(struct ready_lists *ready, const struct flight *flight, struct stash *stash);
// Puts the ready instruction of that slot where its age and its users place it.
void ready_lists_add(struct ready_lists *ready, struct flight *flight, struct in_flight *insn, uint32_t slot);
// Ready instructions that got users (flight->bumped) may go earlier now.
void ready_lists_rank_again(struct ready_lists *ready, struct flight *flight);

// All lists may give something again; sets `order`.
void ready_lists_order(struct ready_lists *ready, const struct flight *flight);
// Takes the first instruction out of the list that is first in `order`.
struct in_flight *ready_lists_take(struct ready_lists *ready, struct flight *flight);

#endif
