// Private to this folder.
// One instruction of a plan: what it uses, reads, writes and moves. Private to plan.c and plan_insn.c; what holds for
// the block as a whole is plan.c's.
#ifndef ANALYZER_SIM_MCA_PLAN_INSN_H
#define ANALYZER_SIM_MCA_PLAN_INSN_H

#include "analyzer/sim/mca/plan.h"

// What is known while a plan is built.
struct planner {
    struct simulation_plan *plan;
    const struct machine *machine;
    struct register_classes classes;
    uint16_t *target_of;       // by register: its number as a target of aliases
    struct class_set *targets; // by that number
    unsigned n_targets;
    const struct plan_options *options;
    struct stash *stash;
    unsigned *class_position; // as in struct simulation_plan
    uint64_t simple_pipes;    // own bits
};

static inline unsigned max_unsigned(unsigned a, unsigned b) {
    return a > b ? a : b;
}

// The resource's own bit of its mask: the highest.
static inline uint64_t own_bit(uint64_t mask) {
    return 1ULL << (63 - __builtin_clzll(mask));
}

// All but its issue class and its dependences. The plan's longest_use, max_latency, max_delay and has_segments grow
// with it.
struct plan_insn plan_insn_of(struct planner *planner, const struct insn *insn, unsigned position);

#endif
