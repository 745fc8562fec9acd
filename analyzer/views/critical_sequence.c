#include "analyzer/views/critical_sequence.h"

#include <string.h>

enum { COPIES = 3 };

void critical_graph_init(struct critical_graph *graph, unsigned n_insns, struct arena *arena) {
    *graph = (struct critical_graph){
        .arena = arena,
        .nodes = ARENA_ARRAY(arena, struct critical_node, (size_t)COPIES * n_insns),
        .n_insns = n_insns,
    };
}

static void add_edge(struct critical_graph *graph, const struct critical_edge *edge) {
    struct critical_node *from = &graph->nodes[edge->from];
    for (size_t i = 0; i < from->n_edges; i++) {
        struct critical_edge *same = &from->edges[i];
        if (same->to == edge->to && same->id == edge->id) {
            same->cost += edge->cost;
            same->frequency++;
            return;
        }
    }
    *ARENA_ADD(graph->arena, from->edges, from->n_edges) = *edge;
    graph->nodes[edge->to].n_before++;
}

void critical_graph_add(struct critical_graph *graph, enum critical_kind kind, unsigned from, unsigned to, uint64_t id,
                        uint64_t cost) {
    unsigned n = graph->n_insns;
    struct critical_edge edge = {.kind = kind, .id = id, .cost = cost, .frequency = 1};
    if (from < to) {
        edge.from = from + n;
        edge.to = to + n;
        add_edge(graph, &edge);
        return;
    }
    for (unsigned copy = 0; copy < COPIES - 1; copy++) {
        edge.from = from + copy * n;
        edge.to = to + (copy + 1) * n;
        add_edge(graph, &edge);
    }
}

void critical_graph_mark(struct critical_graph *graph) {
    for (unsigned i = 0; i < COPIES * graph->n_insns; i++) {
        for (size_t e = 0; e < graph->nodes[i].n_edges; e++) {
            struct critical_edge *edge = &graph->nodes[i].edges[e];
            edge->marked_cost = edge->cost;
            edge->marked_frequency = edge->frequency;
        }
    }
}

void critical_graph_repeat(struct critical_graph *graph, uint64_t times) {
    for (unsigned i = 0; i < COPIES * graph->n_insns; i++) {
        for (size_t e = 0; e < graph->nodes[i].n_edges; e++) {
            struct critical_edge *edge = &graph->nodes[i].edges[e];
            edge->cost += times * (edge->cost - edge->marked_cost);
            edge->frequency += times * (edge->frequency - edge->marked_frequency);
        }
    }
}

// llvm-mca swaps an edge that goes with the last one, and does not look at what came into its place.
static void prune(struct critical_graph *graph, struct critical_node *node, uint64_t iterations) {
    size_t n_kept = node->n_edges;
    for (size_t i = 0; i < n_kept; i++) {
        struct critical_edge *edge = &node->edges[i];
        if (edge->frequency == iterations || 0.10 < (double)edge->frequency / (double)iterations)
            continue;
        graph->nodes[edge->to].n_before--;
        n_kept--;
        struct critical_edge gone = *edge;
        *edge = node->edges[n_kept];
        node->edges[n_kept] = gone;
    }
    node->n_edges = n_kept;
}

// Passes a node's cost on; nodes all of whose origins were visited are appended to `next`.
static void visit(struct critical_graph *graph, const struct critical_node *node, unsigned *next, size_t *n_next) {
    for (size_t e = 0; e < node->n_edges; e++) {
        const struct critical_edge *edge = &node->edges[e];
        struct critical_node *to = &graph->nodes[edge->to];
        if (node->cost + edge->cost > to->cost) {
            to->before = *edge;
            to->cost = node->cost + edge->cost;
            to->depth = node->depth + 1;
        }
        if (++to->n_visited == to->n_before)
            next[(*n_next)++] = edge->to;
    }
}

void critical_graph_finish(struct critical_graph *graph, uint64_t iterations) {
    unsigned n_nodes = COPIES * graph->n_insns;
    unsigned *now = ARENA_ARRAY(graph->arena, unsigned, n_nodes), *next = ARENA_ARRAY(graph->arena, unsigned, n_nodes);
    size_t n_now = 0;
    for (unsigned i = 0; i < n_nodes; i++)
        prune(graph, &graph->nodes[i], iterations);
    for (unsigned i = 0; i < n_nodes; i++)
        if (graph->nodes[i].n_before == 0 && graph->nodes[i].n_edges != 0)
            now[n_now++] = i;
    while (n_now != 0) {
        size_t n_next = 0;
        for (size_t i = 0; i < n_now; i++)
            visit(graph, &graph->nodes[now[i]], next, &n_next);
        unsigned *visited = now;
        now = next;
        next = visited;
        n_now = n_next;
    }
}

const struct critical_edge **critical_graph_sequence(const struct critical_graph *graph, struct arena *arena,
                                                     size_t *n_edges) {
    unsigned last = 0;
    for (unsigned i = 1; i < COPIES * graph->n_insns; i++)
        if (graph->nodes[i].cost > graph->nodes[last].cost)
            last = i;
    size_t n = graph->nodes[last].depth;
    const struct critical_edge **edges = ARENA_ARRAY(arena, const struct critical_edge *, n);
    for (size_t i = n; i-- > 0;) {
        edges[i] = &graph->nodes[last].before;
        last = edges[i]->from;
    }
    *n_edges = n;
    return edges;
}
