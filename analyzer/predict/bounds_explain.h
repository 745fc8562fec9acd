// Who makes the bounds of a block: the instructions behind each, the chain that carries the latency, and what is left
// where a bound is not there. Slower than bounds_find, which it agrees with.
#ifndef ANALYZER_PREDICT_BOUNDS_EXPLAIN_H
#define ANALYZER_PREDICT_BOUNDS_EXPLAIN_H

#include "analyzer/predict/bounds.h"

// What an instruction of a chain waits for.
enum bound_way {
    BOUND_BY_NOTHING,
    BOUND_BY_REGISTER,
    BOUND_BY_ADDRESS,       // a register that the address of its load is made of
    BOUND_BY_STORE,         // data of a store that it loads
    BOUND_BY_STORE_ADDRESS, // address of a store that it loads from
    BOUND_BY_OLDER,         // all that is older than a store that cannot forward to it
    BOUND_BY_SERIAL,        // another one that is never executed at the same time
};

struct bound_link {
    unsigned insn; // index in the block
    enum bound_way way;
    uint16_t unit; // the register's, as in struct cpu; 0: it is no register
    double cycles; // from what it waited for to its result
};

struct bound_part {
    double cycles;  // as in struct bounds
    double without; // of the block, where this bound is not there; the largest of the others
    bool *is_maker; // by instruction of the block: it takes part in it
};

struct bounds_explained {
    struct bounds bounds;
    const struct cpu_recipe *recipes; // of each instruction
    unsigned n_insns;
    struct bound_part parts[BOUND_N];
    const struct bound_link *chain; // of the latency: in order, the last one leads to the first
    unsigned n_chain;               // 0: there is no chain that repeats
    unsigned chain_turns;           // iterations that it runs through
    const int *loads_from;          // by instruction: the one that stores what it loads; -1: unknown memory, or no load
    bool is_of_vectors;             // the bound of dispatch: see bounds_are_of_vectors
    unsigned n_syncs;               // uses of the stack pointer behind a push or pop, per iteration
};

// What it finds lives as long as `arena`.
bool bounds_explain(struct arena *arena, const struct bounds_request *request, struct bounds_explained *explained,
                    struct fail *fail);

#endif
