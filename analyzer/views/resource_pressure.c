#include "analyzer/views/views.h"

#include <string.h>

static size_t n_cells(const struct resource_pressure_view *view) {
    return ((size_t)view->block->n_insns + 1) * view->n_columns;
}

static void hold(struct resource_pressure_view *view, unsigned position, unsigned column, uint64_t parts) {
    view->held[(size_t)position * view->n_columns + column] += parts;
    view->held[(size_t)view->block->n_insns * view->n_columns + column] += parts;
}

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)uops;
    (void)registers;
    ((struct resource_pressure_view *)self)->last_index = insn->index;
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct resource_pressure_view *view = self;
    for (unsigned i = 0; i < n_uses; i++)
        hold(view, insn->position, view->first_column[uses[i].resource] + uses[i].unit, uses[i].cycles);
}

static void on_marked(void *self) {
    struct resource_pressure_view *view = self;
    memcpy(view->marked, view->held, n_cells(view) * sizeof *view->held);
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)cycles;
    struct resource_pressure_view *view = self;
    for (size_t i = 0; i < n_cells(view); i++)
        view->held[i] += times * (view->held[i] - view->marked[i]);
    view->last_index += instructions;
}

void resource_pressure_view_init(struct resource_pressure_view *view, const struct machine *machine,
                                 const struct block *block, struct arena *arena) {
    unsigned *first_column = ARENA_ARRAY(arena, unsigned, machine->n_resources);
    *view = (struct resource_pressure_view){
        .listener = {.self = view,
                     .dispatched = on_dispatched,
                     .issued = on_issued,
                     .marked = on_marked,
                     .repeated = on_repeated},
        .machine = machine,
        .block = block,
        .first_column = first_column,
        .parts = 1,
    };
    for (unsigned r = 1; r < machine->n_resources; r++) {
        first_column[r] = view->n_columns;
        view->n_columns += machine->resources[r].is_group ? 0 : machine->resources[r].units;
    }
    view->held = ARENA_ARRAY(arena, uint64_t, n_cells(view));
    view->marked = ARENA_ARRAY(arena, uint64_t, n_cells(view));
}

// Into how many equal shares a use is spread over one unit's resource.
static uint64_t shares(const struct resource *asked, const struct resource *resource) {
    return asked == resource ? resource->units : (uint64_t)asked->units * resource->units;
}

static void spread_over(struct resource_pressure_view *view, unsigned position, const struct sched_use *use,
                        const struct resource *asked, unsigned r) {
    const struct resource *resource = &view->machine->resources[r];
    for (unsigned unit = 0; unit < resource->units; unit++)
        hold(view, position, view->first_column[r] + unit, use->release * (view->parts / shares(asked, resource)));
}

// A number that all shares divide.
static uint64_t common_parts(const struct machine *machine) {
    uint64_t parts = 1;
    for (unsigned r = 1; r < machine->n_resources; r++) {
        const struct resource *asked = &machine->resources[r];
        for (unsigned m = 0; m < (asked->is_group ? asked->units : 1); m++) {
            uint64_t n = shares(asked, asked->is_group ? &machine->resources[asked->members[m]] : asked);
            uint64_t a = parts, b = n;
            while (b != 0) {
                uint64_t rest = a % b;
                a = b;
                b = rest;
            }
            parts *= n != 0 ? n / a : 1;
        }
    }
    return parts;
}

void resource_pressure_view_spread(struct resource_pressure_view *view) {
    view->parts = common_parts(view->machine);
    for (unsigned i = 0; i < view->block->n_insns; i++) {
        const struct insn *insn = &view->block->insns[i];
        for (unsigned u = 0; u < insn->cost->n_uses; u++) {
            const struct resource *asked = machine_resource_of_mask(view->machine, insn->cost->uses[u].mask);
            if (asked->is_group)
                for (unsigned m = 0; m < asked->units; m++)
                    spread_over(view, i, &insn->cost->uses[u], asked, asked->members[m]);
            else
                spread_over(view, i, &insn->cost->uses[u], asked, (unsigned)(asked - view->machine->resources));
        }
    }
}
