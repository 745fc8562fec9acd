#include "analyzer/views/bottleneck.h"

// A wide instruction is dispatched over several cycles, and may have been executed before the last of them. llvm-mca
// then takes it up again, and never forgets it.
static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)uops;
    (void)registers;
    struct bottleneck_view *view = self;
    if (view->dispatched == insn->index + 1)
        for (unsigned u = 0; u < view->n_users; u++)
            if (view->users[u].index == insn->index && view->users[u].cycles != 0)
                view->users[u].is_executing = true;
    view->dispatched = insn->index + 1;
}

static void on_executed(void *self, const struct event_insn *insn) {
    struct bottleneck_view *view = self;
    for (unsigned u = 0; u < view->n_users; u++)
        if (view->users[u].index == insn->index)
            view->users[u].is_executing = false;
}

// Whoever was issued last to a unit that the instruction found busy is in its way.
static void add_resource(struct bottleneck_view *view, uint64_t bit, unsigned position, unsigned extra_cycles) {
    unsigned r = view->resource_of_bit[__builtin_ctzll(bit)];
    const struct bottleneck_user *users = &view->users[view->first_user[r]];
    for (unsigned unit = 0; unit < view->machine->resources[r].units; unit++)
        if (users[unit].cycles != 0 && users[unit].is_executing)
            critical_graph_add(&view->graph, CRITICAL_RESOURCE, users[unit].position, position, bit,
                               users[unit].cycles + extra_cycles);
}

static void add_dependence(struct bottleneck_view *view, enum critical_kind kind, unsigned position,
                           const struct event_dependence *on, unsigned pressed_cycles) {
    if (on->cycles != 0)
        critical_graph_add(&view->graph, kind, (unsigned)(on->index % view->block->n_insns), position, on->reg,
                           on->cycles + 2 * pressed_cycles);
}

static void on_critical(void *self, const struct event_insn *insn, const struct event_critical *critical) {
    struct bottleneck_view *view = self;
    for (uint64_t busy = critical->resources; busy != 0; busy &= busy - 1)
        add_resource(view, busy & -busy, insn->position, 2 * critical->resource_cycles);
    add_dependence(view, CRITICAL_REGISTER, insn->position, &critical->on_register, critical->register_cycles);
    add_dependence(view, CRITICAL_MEMORY, insn->position, &critical->on_memory, critical->memory_cycles);
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct bottleneck_view *view = self;
    for (unsigned i = 0; i < n_uses; i++)
        view->users[view->first_user[uses[i].resource] + uses[i].unit] =
            (struct bottleneck_user){insn->index, insn->position, uses[i].cycles, true};
    // llvm-mca does not wait for older instructions that are issued still later.
    if (insn->index + 1 == view->iterations * view->block->n_insns)
        critical_graph_finish(&view->graph, view->iterations);
}

// A busy unit counts for itself, a group for each of its units.
static void on_pressed(void *self, enum event_pressure kind, uint64_t resources) {
    struct bottleneck_view *view = self;
    view->pressed[kind] = true;
    for (; resources != 0; resources &= resources - 1) {
        uint64_t bit = resources & -resources;
        unsigned r = view->resource_of_bit[__builtin_ctzll(bit)];
        uint64_t members = view->machine->resources[r].mask ^ bit;
        if (members == 0)
            tally_add(&view->distribution, r, 1);
        for (; members != 0; members &= members - 1)
            tally_add(&view->distribution, view->resource_of_bit[__builtin_ctzll(members)], 1);
    }
}

static void on_stalled(void *self, const struct event_insn *insn, enum event_stall kind) {
    (void)insn;
    struct bottleneck_view *view = self;
    view->was_stalled = true;
    // In-order machines tell of no pressure: to llvm-mca, the stall is it (InOrderIssueStage.cpp, notifyStallEvent).
    if (view->machine->in_order && kind == STALL_REGISTER_FILE)
        view->pressed[PRESSURE_REGISTERS] = true;
    if (view->machine->in_order && kind == STALL_DISPATCH_GROUP)
        view->pressed[PRESSURE_RESOURCES] = true;
}

static void on_cycle_end(void *self, uint64_t cycle) {
    (void)cycle;
    struct bottleneck_view *view = self;
    bool data = view->pressed[PRESSURE_REGISTERS] || view->pressed[PRESSURE_MEMORY];
    tally_add(&view->cycles, BOTTLENECK_ANY, data || view->pressed[PRESSURE_RESOURCES]);
    tally_add(&view->cycles, BOTTLENECK_DATA, data);
    for (unsigned kind = 0; kind <= PRESSURE_MEMORY; kind++) {
        tally_add(&view->cycles, kind, view->pressed[kind]);
        view->pressed[kind] = false;
    }
    tally_add(&view->cycles, BOTTLENECK_ALL, 1);
}

static void on_marked(void *self) {
    struct bottleneck_view *view = self;
    tally_mark(&view->cycles);
    tally_mark(&view->distribution);
    critical_graph_mark(&view->graph);
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)cycles;
    struct bottleneck_view *view = self;
    tally_repeat(&view->cycles, times);
    tally_repeat(&view->distribution, times);
    critical_graph_repeat(&view->graph, times);
    view->dispatched += instructions;
    for (unsigned u = 0; u < view->n_users; u++)
        view->users[u].index += instructions;
}

void bottleneck_view_init(struct bottleneck_view *view, const struct machine *machine, const struct block *block,
                          uint64_t iterations, struct arena *arena) {
    *view = (struct bottleneck_view){
        .listener = {.self = view,
                     .dispatched = on_dispatched,
                     .critical = on_critical,
                     .issued = on_issued,
                     .executed = on_executed,
                     .pressed = on_pressed,
                     .stalled = on_stalled,
                     .cycle_end = on_cycle_end,
                     .marked = on_marked,
                     .repeated = on_repeated},
        .machine = machine,
        .block = block,
        .iterations = iterations,
        .cycles.arena = arena,
        .distribution.arena = arena,
    };
    unsigned *first_user = ARENA_ARRAY(arena, unsigned, machine->n_resources);
    for (unsigned r = 1; r < machine->n_resources; r++) {
        first_user[r] = view->n_users;
        view->n_users += machine->resources[r].units;
        view->resource_of_bit[__builtin_ctzll(resource_bit(machine->resources[r].mask))] = r;
    }
    view->first_user = first_user;
    view->users = ARENA_ARRAY(arena, struct bottleneck_user, view->n_users);
    critical_graph_init(&view->graph, block->n_insns, arena);
}
