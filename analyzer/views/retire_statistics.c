#include "analyzer/views/columns.h"
#include "analyzer/views/statistics.h"

#include <inttypes.h>

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)insn;
    (void)registers;
    ((struct retire_view *)self)->entries.now += uops;
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)registers;
    struct retire_view *view = self;
    view->entries.now -= insn->insn->cost->uops;
    view->retired++;
}

static void on_cycle_end(void *self, uint64_t cycle) {
    (void)cycle;
    struct retire_view *view = self;
    tally_add(&view->widths, view->retired, 1);
    view->retired = 0;
    level_end_cycle(&view->entries);
}

static void on_marked(void *self) {
    struct retire_view *view = self;
    tally_mark(&view->widths);
    level_mark(&view->entries);
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)cycles;
    (void)instructions;
    struct retire_view *view = self;
    tally_repeat(&view->widths, times);
    level_repeat(&view->entries, times);
}

void retire_view_init(struct retire_view *view, const struct machine *machine, struct arena *arena) {
    *view = (struct retire_view){
        .listener = {.self = view,
                     .dispatched = on_dispatched,
                     .retired = on_retired,
                     .cycle_end = on_cycle_end,
                     .marked = on_marked,
                     .repeated = on_repeated},
        .machine = machine,
        .widths.arena = arena,
    };
}

// Of the reorder buffer's entries.
static double percent(double entries, unsigned size) {
    return columns_rounded(entries / size * 100.0, 10);
}

void retire_view_print(const struct retire_view *view, FILE *out) {
    const uint64_t cycles = tally_sum(&view->widths);
    fputs("\n\nRetire Control Unit - number of cycles where we saw N instructions retired:\n"
          "[# retired], [# cycles]\n",
          out);
    for (size_t i = 0; i < view->widths.n; i++) {
        uint64_t count = view->widths.counts[i];
        if (count != 0)
            fprintf(out, " %zu,%s%" PRIu64 "  (%.1f%%)\n", i, i < 10 ? "           " : "          ", count,
                    (double)count / (double)cycles * 100.0);
    }
    unsigned size = view->machine->rob_size;
    unsigned average = (unsigned)((double)view->entries.sum / (double)cycles);
    fprintf(out, "\nTotal ROB Entries:                %u\n", size);
    fprintf(out, "Max Used ROB Entries:             %" PRIu32 "  ( %.1f%% )\n", view->entries.highest,
            percent(view->entries.highest, size));
    fprintf(out, "Average Used ROB Entries per cy:  %u  ( %.1f%% )\n", average, percent(average, size));
}
