#include "analyzer/views/columns.h"
#include "analyzer/views/statistics.h"

#include <inttypes.h>

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)insn;
    (void)uops;
    struct register_file_view *view = self;
    for (unsigned f = 0; f < view->machine->n_register_files; f++) {
        tally_add(&view->mappings, f, registers[f]);
        view->used[f].now += registers[f];
        level_see(&view->used[f]);
    }
}

static void on_moved(void *self, const struct event_insn *insn, const struct event_moves *moves) {
    (void)insn;
    struct register_file_view *view = self;
    tally_add(&view->candidates, moves->file, moves->candidates);
    tally_add(&view->eliminated, moves->file, moves->eliminated);
    tally_add(&view->zero, moves->file, moves->zero);
    view->eliminated_now[moves->file] += moves->eliminated;
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)insn;
    struct register_file_view *view = self;
    for (unsigned f = 0; f < view->machine->n_register_files; f++)
        view->used[f].now -= registers[f];
}

static void on_cycle_end(void *self, uint64_t cycle) {
    (void)cycle;
    struct register_file_view *view = self;
    for (unsigned f = 0; f < view->machine->n_register_files; f++) {
        if (view->eliminated_now[f] > view->most_eliminated[f])
            view->most_eliminated[f] = view->eliminated_now[f];
        view->eliminated_now[f] = 0;
    }
}

static void on_marked(void *self) {
    struct register_file_view *view = self;
    tally_mark(&view->mappings);
    tally_mark(&view->candidates);
    tally_mark(&view->eliminated);
    tally_mark(&view->zero);
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)cycles;
    (void)instructions;
    struct register_file_view *view = self;
    tally_repeat(&view->mappings, times);
    tally_repeat(&view->candidates, times);
    tally_repeat(&view->eliminated, times);
    tally_repeat(&view->zero, times);
}

void register_file_view_init(struct register_file_view *view, const struct machine *machine, struct arena *arena) {
    unsigned n = machine->n_register_files;
    *view = (struct register_file_view){
        .listener = {.self = view,
                     .dispatched = on_dispatched,
                     .moved = on_moved,
                     .retired = on_retired,
                     .cycle_end = on_cycle_end,
                     .marked = on_marked,
                     .repeated = on_repeated},
        .machine = machine,
        .mappings.arena = arena,
        .candidates.arena = arena,
        .eliminated.arena = arena,
        .zero.arena = arena,
        .used = ARENA_ARRAY(arena, struct level, n),
        .eliminated_now = ARENA_ARRAY(arena, unsigned, n),
        .most_eliminated = ARENA_ARRAY(arena, unsigned, n),
    };
}

static void print_moves(const struct register_file_view *view, unsigned file, FILE *out) {
    uint64_t candidates = tally_get(&view->candidates, file);
    uint64_t eliminated = tally_get(&view->eliminated, file), zero = tally_get(&view->zero, file);
    if (candidates == 0)
        return;
    double eliminated_percent = columns_rounded((double)eliminated / (double)candidates * 100.0, 10);
    double zero_percent = columns_rounded((double)zero / (double)candidates * 100.0, 10);
    fprintf(out, "   Number of optimizable moves:      %" PRIu64 "\n", candidates);
    fprintf(out, "   Number of moves eliminated:       %" PRIu64 "  (%.1f%%)\n", eliminated, eliminated_percent);
    fprintf(out, "   Number of zero moves:             %" PRIu64 "  (%.1f%%)\n", zero, zero_percent);
    fprintf(out, "   Max moves eliminated per cycle:   %u\n", view->most_eliminated[file]);
}

void register_file_view_print(const struct register_file_view *view, FILE *out) {
    fprintf(out, "\n\nRegister File statistics:\nTotal number of mappings created:    %" PRIu64 "\n",
            tally_get(&view->mappings, 0));
    fprintf(out, "Max number of mappings used:         %" PRIu32 "\n", view->used[0].highest);
    for (unsigned f = 1; f < view->machine->n_register_files; f++) {
        const struct register_file *file = &view->machine->register_files[f];
        if (file->n_physical == 0)
            continue;
        fprintf(out, "\n*  Register File #%u -- %s:\n", f, file->name);
        fprintf(out, "   Number of physical registers:     %u\n", file->n_physical);
        fprintf(out, "   Total number of mappings created: %" PRIu64 "\n", tally_get(&view->mappings, f));
        fprintf(out, "   Max number of mappings used:      %" PRIu32 "\n", view->used[f].highest);
        print_moves(view, f, out);
    }
}
