#include "analyzer/views/core_counts.h"

static size_t n_pipes(const struct core_counts_view *view) {
    return view->pipes->n_resources;
}

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)insn;
    (void)registers;
    ((struct core_counts_view *)self)->slots_now += uops;
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct core_counts_view *view = self;
    view->uops_now++;
    for (unsigned i = 0; i < n_uses; i++)
        tally_add(&view->held, insn->position * n_pipes(view) + uses[i].resource,
                  (uint64_t)uses[i].cycles * EVENT_PARTS + uses[i].parts);
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)insn;
    (void)registers;
    ((struct core_counts_view *)self)->n_retired++;
}

static void on_stalled(void *self, const struct event_insn *insn, enum event_stall kind) {
    (void)insn;
    tally_add(&((struct core_counts_view *)self)->stalls, kind, 1);
}

static void on_eliminated(void *self, const struct event_insn *insn, enum event_elimination what) {
    (void)insn;
    tally_add(&((struct core_counts_view *)self)->eliminated, what, 1);
}

static void on_met_store(void *self, const struct event_insn *insn, uint64_t store, enum event_meeting what) {
    (void)insn;
    (void)store;
    tally_add(&((struct core_counts_view *)self)->met, what, 1);
}

static void on_cycle_end(void *self, uint64_t cycle) {
    (void)cycle;
    struct core_counts_view *view = self;
    tally_add(&view->slots, view->slots_now, 1);
    tally_add(&view->uops, view->uops_now, 1);
    tally_add(&view->retired, view->n_retired, 1);
    view->slots_now = view->uops_now = view->n_retired = 0;
}

enum { N_TALLIES = 7 };

static void all_tallies(struct core_counts_view *view, struct tally *tallies[N_TALLIES]) {
    struct tally *const all[N_TALLIES] = {&view->slots,      &view->uops, &view->retired, &view->stalls,
                                          &view->eliminated, &view->met,  &view->held};
    for (unsigned i = 0; i < N_TALLIES; i++)
        tallies[i] = all[i];
}

static void on_marked(void *self) {
    struct tally *tallies[N_TALLIES];
    all_tallies(self, tallies);
    for (unsigned i = 0; i < N_TALLIES; i++)
        tally_mark(tallies[i]);
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)cycles;
    (void)instructions;
    struct tally *tallies[N_TALLIES];
    all_tallies(self, tallies);
    for (unsigned i = 0; i < N_TALLIES; i++)
        tally_repeat(tallies[i], times);
}

void core_counts_view_init(struct core_counts_view *view, const struct machine *pipes, const struct block *block,
                           struct arena *arena) {
    *view = (struct core_counts_view){
        .listener = {.self = view,
                     .dispatched = on_dispatched,
                     .issued = on_issued,
                     .retired = on_retired,
                     .stalled = on_stalled,
                     .eliminated = on_eliminated,
                     .met_store = on_met_store,
                     .cycle_end = on_cycle_end,
                     .marked = on_marked,
                     .repeated = on_repeated},
        .pipes = pipes,
        .block = block,
        .arena = arena,
    };
    struct tally *tallies[N_TALLIES];
    all_tallies(view, tallies);
    for (unsigned i = 0; i < N_TALLIES; i++)
        tallies[i]->arena = arena;
}

double core_counts_held(const struct core_counts_view *view, unsigned position, unsigned resource) {
    const unsigned n = view->block->n_insns, first = position < n ? position : 0, end = position < n ? position + 1 : n;
    uint64_t parts = 0, n_retired = 0;
    for (unsigned i = first; i < end; i++)
        parts += tally_get(&view->held, i * n_pipes(view) + resource);
    for (size_t i = 0; i < view->retired.n; i++)
        n_retired += i * view->retired.counts[i];
    return n_retired ? (double)parts / EVENT_PARTS * n / (double)n_retired : 0;
}
