// Private to this folder.
// Loops of a control-flow graph and how they nest: strongly connected parts; then, without the ways to their heads,
// those inside. Where control enters at one place only, these are the natural loops of that head. The method: B.
// Steensgaard, "Sequentializing Program Dependence Graphs for Irreducible Programs", Microsoft Research, 1993.
#ifndef HOT_NEST_H
#define HOT_NEST_H

#include "hot/flow.h"

struct nest_loop {
    const uint32_t *blocks; // all of it, with those of inner loops; ascending
    size_t n_blocks;
    uint32_t head; // where control enters; of several blocks, the one that most ways inside lead to
    bool is_irreducible;
    size_t parent; // index of the loop around it; SIZE_MAX: none
    unsigned depth;
};

struct nest {
    struct nest_loop *loops; // outer ones before inner ones
    size_t n_loops;
    size_t *inner; // of each block: the innermost loop that has it; SIZE_MAX: none
};

void nest_find(struct nest *nest, const struct flow *flow);

#endif
