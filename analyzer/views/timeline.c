#include "analyzer/views/timeline.h"

// Null for instructions behind the last iteration shown. Called when the instruction's entry is about to change.
static struct timeline_entry *entry_of(struct timeline_view *view, const struct event_insn *insn) {
    if (insn->index >= (uint64_t)view->iterations * view->block->n_insns)
        return NULL;
    if (view->cycle < view->max_cycles)
        view->last_cycle = view->cycle;
    return &view->entries[insn->index];
}

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)uops;
    (void)registers;
    struct timeline_view *view = self;
    struct timeline_entry *entry = entry_of(view, insn);
    if (entry && !entry->was_dispatched) {
        entry->was_dispatched = true;
        entry->dispatched = view->cycle;
    }
}

static void on_ready(void *self, const struct event_insn *insn) {
    struct timeline_view *view = self;
    struct timeline_entry *entry = entry_of(view, insn);
    if (entry)
        entry->ready = view->cycle;
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    (void)uses;
    (void)n_uses;
    struct timeline_view *view = self;
    struct timeline_entry *entry = entry_of(view, insn);
    if (entry)
        entry->issued = view->cycle;
}

static void on_executed(void *self, const struct event_insn *insn) {
    struct timeline_view *view = self;
    struct timeline_entry *entry = entry_of(view, insn);
    if (entry)
        entry->executed = view->cycle;
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)registers;
    struct timeline_view *view = self;
    struct timeline_entry *entry = entry_of(view, insn);
    if (!entry)
        return;
    if (view->cycle < view->max_cycles)
        entry->retired = view->cycle;
    struct timeline_waits *waits = &view->waits[insn->position];
    waits->queued += entry->issued - entry->dispatched;
    waits->queued_ready += entry->issued - entry->ready;
    if (view->cycle > entry->executed)
        waits->executed += view->cycle - 1 - entry->executed;
}

static void on_cycle_end(void *self, uint64_t cycle) {
    (void)cycle;
    ((struct timeline_view *)self)->cycle++;
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)times;
    (void)instructions;
    ((struct timeline_view *)self)->cycle += (uint32_t)cycles;
}

void timeline_view_init(struct timeline_view *view, const struct block *block, unsigned iterations, unsigned max_cycles,
                        struct arena *arena) {
    *view = (struct timeline_view){
        .listener = {.self = view,
                     .dispatched = on_dispatched,
                     .ready = on_ready,
                     .issued = on_issued,
                     .executed = on_executed,
                     .retired = on_retired,
                     .cycle_end = on_cycle_end,
                     .repeated = on_repeated},
        .block = block,
        .iterations = iterations,
        .max_cycles = max_cycles != 0 ? max_cycles : UINT32_MAX,
        .entries = ARENA_ARRAY(arena, struct timeline_entry, (size_t)iterations * block->n_insns),
        .waits = ARENA_ARRAY(arena, struct timeline_waits, block->n_insns),
    };
}
