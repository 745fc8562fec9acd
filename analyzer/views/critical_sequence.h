// Private to this folder.
// The most expensive chain of dependences, registers, memory and busy pipes, through three copies of a block: what came
// before, the block, what comes after. llvm-mca's rules, down to the order of edges
// (llvm/tools/llvm-mca/Views/BottleneckAnalysis.cpp of LLVM 19, DependencyGraph).
#ifndef ANALYZER_VIEWS_CRITICAL_SEQUENCE_H
#define ANALYZER_VIEWS_CRITICAL_SEQUENCE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

enum critical_kind { CRITICAL_REGISTER, CRITICAL_MEMORY, CRITICAL_RESOURCE };

// Edges of the same ends and `id` are one.
struct critical_edge {
    enum critical_kind kind;
    uint64_t id;       // the register, the resource's own bit, or 0
    unsigned from, to; // nodes: copy × instructions + position
    uint64_t cost, frequency;
    uint64_t marked_cost, marked_frequency; // at the mark
};

struct critical_node {
    struct critical_edge *edges; // that leave it
    size_t n_edges;
    unsigned n_before, n_visited; // edges that reach it; those whose origin was visited
    uint64_t cost;
    unsigned depth;
    struct critical_edge before; // the edge that made it so expensive
};

struct critical_graph {
    struct arena *arena;
    struct critical_node *nodes;
    unsigned n_insns; // of the block; three nodes each
};

void critical_graph_init(struct critical_graph *graph, unsigned n_insns, struct arena *arena);
// `from`, `to`: positions in the block. The dependence reaches into the next iteration where `to` is not behind `from`.
void critical_graph_add(struct critical_graph *graph, enum critical_kind kind, unsigned from, unsigned to, uint64_t id,
                        uint64_t cost);
void critical_graph_mark(struct critical_graph *graph);
void critical_graph_repeat(struct critical_graph *graph, uint64_t times);

// Finds the most expensive chain; edges seen in less than a tenth of the iterations do not count.
void critical_graph_finish(struct critical_graph *graph, uint64_t iterations);
// The chain's edges, first to last.
const struct critical_edge **critical_graph_sequence(const struct critical_graph *graph, struct arena *arena,
                                                     size_t *n_edges);

#endif
