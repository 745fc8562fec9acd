#include "analyzer/views/bottleneck.h"
#include "analyzer/views/columns.h"

#include <inttypes.h>

enum { TEXT_COLUMN = 14, DEPENDENCE_COLUMN = 58 };

static const char loop_carried[] = "\n |\n |    < loop carried > \n |";

static double percent(const struct bottleneck_view *view, uint64_t cycles) {
    return columns_rounded((double)cycles * 100 / (double)tally_get(&view->cycles, BOTTLENECK_ALL), 100);
}

static void print_share(const struct bottleneck_view *view, FILE *out, const char *title, size_t kind) {
    fprintf(out, "%s[ %.2f%% ]", title, percent(view, tally_get(&view->cycles, kind)));
}

static void print_pressure(const struct bottleneck_view *view, FILE *out) {
    print_share(view, out, "\n\nCycles with backend pressure increase ", BOTTLENECK_ANY);
    print_share(view, out, "\nThroughput Bottlenecks: \n  Resource Pressure       ", PRESSURE_RESOURCES);
    for (unsigned r = 1; r < view->machine->n_resources; r++) {
        uint64_t cycles = tally_get(&view->distribution, r);
        if (cycles != 0)
            fprintf(out, "\n  - %s  [ %.2f%% ]", view->machine->resources[r].name, percent(view, cycles));
    }
    print_share(view, out, "\n  Data Dependencies:      ", BOTTLENECK_DATA);
    print_share(view, out, "\n  - Register Dependencies ", PRESSURE_REGISTERS);
    print_share(view, out, "\n  - Memory Dependencies   ", PRESSURE_MEMORY);
    fputc('\n', out);
}

static void print_insn(struct columns *line, const struct bottleneck_view *view, const char *mark, unsigned position) {
    columns_addf(line, "%s%u.", mark, position);
    columns_pad(line, TEXT_COLUMN);
    columns_add(line, view->block->insns[position].text);
}

// As it is written in assembly.
static const char *register_name(const struct bottleneck_view *view, unsigned position, uint64_t reg) {
    const struct insn *insn = &view->block->insns[position];
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (insn->writes[i].reg == reg && insn->writes[i].name)
            return insn->writes[i].name;
    return view->machine->registers[reg].name;
}

static void print_edge(struct columns *line, const struct bottleneck_view *view, const struct critical_edge *edge) {
    columns_pad(line, DEPENDENCE_COLUMN);
    switch (edge->kind) {
    case CRITICAL_REGISTER:
        columns_addf(line, "## REGISTER dependency:  %s",
                     register_name(view, edge->from % view->block->n_insns, edge->id));
        break;
    case CRITICAL_MEMORY:
        columns_add(line, "## MEMORY dependency.");
        break;
    case CRITICAL_RESOURCE:
        columns_addf(line, "## RESOURCE interference:  %s [ probability: %" PRIu64 "%% ]",
                     view->machine->resources[view->resource_of_bit[__builtin_ctzll(edge->id)]].name,
                     edge->frequency * 100 / view->iterations);
        break;
    }
}

// The instructions up to `end` that are not part of the chain.
static void print_others(struct columns *line, const struct bottleneck_view *view, const char *mark, unsigned *next,
                         unsigned end) {
    for (; *next < end; ++*next)
        print_insn(line, view, mark, *next);
}

static void print_start(struct columns *line, const struct bottleneck_view *view, const struct critical_edge *first,
                        unsigned *next) {
    unsigned n = view->block->n_insns, from = first->from % n;
    if (from >= first->to % n) {
        print_insn(line, view, "\n +----< ", from);
        columns_add(line, loop_carried);
        return;
    }
    print_others(line, view, "\n        ", next, from);
    print_insn(line, view, "\n +----< ", from);
    ++*next;
}

// `next`: position of the instruction to be printed next; behind a chain's jump to the next iteration it is not set
// back, and the instructions in between are not printed, as in llvm-mca.
static void print_step(struct columns *line, const struct bottleneck_view *view, const struct critical_edge *edge,
                       unsigned *next) {
    unsigned n = view->block->n_insns, to = edge->to % n;
    print_others(line, view, "\n |      ", next, *next > to ? n : to);
    if (*next != to)
        columns_add(line, loop_carried);
    print_insn(line, view, "\n +----> ", to);
    print_edge(line, view, edge);
    ++*next;
}

static void print_sequence(const struct bottleneck_view *view, FILE *out) {
    struct arena arena = {0};
    size_t n_edges;
    unsigned next = 0;
    struct columns line = {.out = out};
    const struct critical_edge **edges = critical_graph_sequence(&view->graph, &arena, &n_edges);
    if (n_edges != 0) {
        columns_add(&line, "\nCritical sequence based on the simulation:\n\n");
        columns_pad(&line, TEXT_COLUMN);
        columns_add(&line, "Instruction");
        columns_pad(&line, DEPENDENCE_COLUMN);
        columns_add(&line, "Dependency Information");
        print_start(&line, view, edges[0], &next);
        for (size_t i = 0; i < n_edges; i++)
            print_step(&line, view, edges[i], &next);
        print_others(&line, view, "\n        ", &next, view->block->n_insns);
        columns_add(&line, "\n");
    }
    arena_free(&arena);
}

void bottleneck_view_print(const struct bottleneck_view *view, FILE *out) {
    if (!view->was_stalled || tally_get(&view->cycles, BOTTLENECK_ANY) == 0) {
        fputs("\n\nNo resource or data dependency bottlenecks discovered.\n", out);
        return;
    }
    print_pressure(view, out);
    print_sequence(view, out);
}

static void add_edges(const struct bottleneck_view *view, struct json_text *json) {
    static const int types[] = {[CRITICAL_REGISTER] = 1, [CRITICAL_MEMORY] = 2, [CRITICAL_RESOURCE] = 3}; // LLVM's
    struct arena arena = {0};
    size_t n_edges;
    const struct critical_edge **edges = critical_graph_sequence(&view->graph, &arena, &n_edges);
    json_open_list(json, "DependencyEdge");
    for (size_t i = 0; i < n_edges; i++) {
        json_open(json, NULL);
        json_put_integer(json, "FromID", edges[i]->from);
        json_put_integer(json, "ResourceOrRegID", (int64_t)edges[i]->id);
        json_put_integer(json, "ToID", edges[i]->to);
        json_put_integer(json, "Type", types[edges[i]->kind]);
        json_close(json);
    }
    json_close_list(json);
    arena_free(&arena);
}

static void add_cycles(const struct bottleneck_view *view, struct json_text *json, const char *name, size_t kind) {
    json_put_integer(json, name, (int64_t)tally_get(&view->cycles, kind));
}

void bottleneck_view_json(const struct bottleneck_view *view, struct json_text *json) {
    json_open(json, "BottleneckAnalysis");
    if (!view->was_stalled || tally_get(&view->cycles, BOTTLENECK_ANY) == 0) {
        json_put_integer(json, "PressureIncreaseCycles", 0);
        json_close(json);
        return;
    }
    add_cycles(view, json, "DataDependencyCycles", BOTTLENECK_DATA);
    add_edges(view, json);
    add_cycles(view, json, "MemoryDependencyCycles", PRESSURE_MEMORY);
    add_cycles(view, json, "PressureIncreaseCycles", BOTTLENECK_ANY);
    add_cycles(view, json, "RegisterDependencyCycles", PRESSURE_REGISTERS);
    json_open_list(json, "ResourcePressure");
    for (unsigned r = 1; r < view->machine->n_resources; r++) {
        uint64_t cycles = tally_get(&view->distribution, r);
        if (cycles == 0)
            continue;
        json_open(json, NULL);
        json_put_integer(json, view->machine->resources[r].name, (int64_t)cycles);
        json_close(json);
    }
    json_close_list(json);
    add_cycles(view, json, "ResourcePressureCycles", PRESSURE_RESOURCES);
    add_cycles(view, json, "TotalCycles", BOTTLENECK_ALL);
    json_close(json);
}
