#include "analyzer/views/core_timeline.h"

#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"

static const uint64_t NEVER = CORE_TIMELINE_NEVER;

// Null for instructions behind the last iteration shown.
static struct core_timeline_entry *entry_of(struct core_timeline_view *view, const struct event_insn *insn) {
    return insn->index < (uint64_t)view->iterations * view->block->n_insns ? &view->entries[insn->index] : NULL;
}

static void on_cycle(void *self, uint64_t cycle) {
    ((struct core_timeline_view *)self)->cycle = cycle;
}

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)uops;
    (void)registers;
    struct core_timeline_view *view = self;
    struct core_timeline_entry *entry = entry_of(view, insn);
    if (entry)
        entry->dispatched = view->cycle;
}

static void on_ready(void *self, const struct event_insn *insn) {
    struct core_timeline_view *view = self;
    struct core_timeline_entry *entry = entry_of(view, insn);
    if (entry)
        entry->ready = view->cycle;
}

// Of several uops, the first counts.
static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    (void)uses;
    (void)n_uses;
    struct core_timeline_view *view = self;
    struct core_timeline_entry *entry = entry_of(view, insn);
    if (entry && entry->issued == NEVER)
        entry->issued = view->cycle;
}

static void on_executed(void *self, const struct event_insn *insn) {
    struct core_timeline_view *view = self;
    struct core_timeline_entry *entry = entry_of(view, insn);
    if (entry)
        entry->executed = view->cycle;
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)registers;
    struct core_timeline_view *view = self;
    struct core_timeline_entry *entry = entry_of(view, insn);
    if (entry)
        entry->retired = view->cycle;
}

static void on_eliminated(void *self, const struct event_insn *insn, enum event_elimination what) {
    (void)what;
    struct core_timeline_entry *entry = entry_of(self, insn);
    if (entry)
        entry->is_eliminated = true;
}

// It counts nothing that repeats: it shows instructions that are walked.
static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)self;
    (void)times;
    (void)cycles;
    (void)instructions;
}

void core_timeline_view_init(struct core_timeline_view *view, const struct block *block, unsigned iterations,
                             unsigned max_cycles, struct arena *arena) {
    const size_t n = (size_t)iterations * block->n_insns;
    *view = (struct core_timeline_view){
        .listener = {.self = view,
                     .cycle_begin = on_cycle,
                     .dispatched = on_dispatched,
                     .ready = on_ready,
                     .issued = on_issued,
                     .executed = on_executed,
                     .retired = on_retired,
                     .eliminated = on_eliminated,
                     .repeated = on_repeated},
        .block = block,
        .arena = arena,
        .iterations = iterations,
        .max_cycles = max_cycles,
        .entries = ARENA_ARRAY(arena, struct core_timeline_entry, n),
    };
    for (size_t i = 0; i < n; i++)
        view->entries[i] = (struct core_timeline_entry){NEVER, NEVER, NEVER, NEVER, NEVER, false};
}

enum { INDEX_COLUMNS = 8, MOST_TEXT_COLUMNS = 26 };

struct picture {
    unsigned text_columns;
    uint64_t cycles; // shown
    bool is_cut;
};

static struct picture frame(const struct core_timeline_view *view, FILE *out) {
    enum { FEWEST_CYCLES = 10 };
    struct picture picture = {0};
    uint64_t last = 0;
    for (size_t i = 0; i < (size_t)view->iterations * view->block->n_insns; i++)
        if (view->entries[i].retired != NEVER && view->entries[i].retired > last)
            last = view->entries[i].retired;
    for (unsigned i = 0; i < view->block->n_insns; i++) {
        const size_t n = text_width(text_without_tabs(view->arena, view->block->insns[i].text));
        picture.text_columns = n > picture.text_columns ? (unsigned)n : picture.text_columns;
    }
    if (picture.text_columns > MOST_TEXT_COLUMNS)
        picture.text_columns = MOST_TEXT_COLUMNS;
    const uint64_t columns = screen_columns(out), used = INDEX_COLUMNS + picture.text_columns + 2;
    const uint64_t room = view->max_cycles                 ? view->max_cycles
                          : columns > used + FEWEST_CYCLES ? columns - used
                                                           : FEWEST_CYCLES;
    picture.is_cut = last + 1 > room;
    picture.cycles = picture.is_cut ? room : last + 1;
    return picture;
}

static void print_scale(const struct picture *picture, FILE *out) {
    fprintf(out, "%*s", INDEX_COLUMNS + (int)picture->text_columns + 2, "");
    for (uint64_t i = 0; i < picture->cycles; i += 10)
        fprintf(out, "%-*u", picture->cycles - i > 10 ? 10 : 1, (unsigned)i);
    fputs("\n", out);
}

// What it does in the cycle.
static char letter(const struct core_timeline_entry *entry, uint64_t cycle) {
    if (cycle < entry->dispatched || entry->dispatched == NEVER)
        return ' ';
    if (cycle == entry->retired)
        return 'R';
    if (cycle > entry->retired)
        return ' ';
    if (cycle == entry->dispatched)
        return entry->is_eliminated ? 'N' : 'D';
    if (entry->is_eliminated || cycle >= entry->executed)
        return '-';
    return cycle >= entry->issued ? 'e' : cycle >= entry->ready ? 'r' : '=';
}

static void print_row(const struct core_timeline_view *view, const struct picture *picture, unsigned iteration,
                      unsigned position, FILE *out) {
    const struct core_timeline_entry *entry = &view->entries[(size_t)iteration * view->block->n_insns + position];
    const char *text = text_without_tabs(view->arena, view->block->insns[position].text);
    char *row = arena_alloc(view->arena, picture->cycles + 1);
    size_t n = 0;
    for (uint64_t cycle = 0; cycle < picture->cycles; cycle++) {
        row[cycle] = letter(entry, cycle);
        n = row[cycle] != ' ' ? cycle + 1 : n;
    }
    row[n] = '\0';
    const char *index = arena_printf(view->arena, "[%u,%u]", iteration, position + 1);
    const char *cut = screen_cut(view->arena, screen_text(view->arena, text), picture->text_columns);
    const int more = (int)picture->text_columns - (int)text_width(cut);
    fprintf(out, "%-*s%s%*s  %s\n", INDEX_COLUMNS, index, cut, more > 0 ? more : 0, "", row);
}

static void print_picture(const struct core_timeline_view *view, FILE *out) {
    const struct picture picture = frame(view, out);
    fputs("\nD dispatched  N done by renaming  = waits for its sources  r waits for a pipe\n"
          "e is executed, from its first uop to its results  - waits to retire  R retired\n",
          out);
    print_scale(&picture, out);
    bool is_over = false;
    for (unsigned i = 0; i < view->iterations && !is_over; i++)
        for (unsigned p = 0; p < view->block->n_insns && !is_over; p++) {
            is_over = view->entries[(size_t)i * view->block->n_insns + p].dispatched >= picture.cycles;
            if (!is_over)
                print_row(view, &picture, i, p, out);
        }
    if (picture.is_cut)
        screen_print_sentence(arena_printf(view->arena,
                                           "the picture ends with cycle %u: --timeline-max-cycles=N shows more, and "
                                           "--timeline-max-iterations=N fewer instructions",
                                           (unsigned)picture.cycles - 1),
                              out);
}

// Cycles from one time to another, as far as both are known.
static double between(uint64_t from, uint64_t to) {
    return from == NEVER || to == NEVER || to < from ? 0 : (double)(to - from);
}

static void print_waits(const struct core_timeline_view *view, FILE *out, bool colour) {
    static const char *const titles[] = {"for sources", "for a pipe", "executed in", "to retire"};
    struct table table = {.arena = view->arena};
    table_column(&table, TABLE_CUT, "mean cycles of waiting");
    for (unsigned t = 0; t < 4; t++)
        table_column(&table, TABLE_RIGHT, titles[t]);
    for (unsigned p = 0; p < view->block->n_insns; p++) {
        double sums[4] = {0};
        for (unsigned i = 0; i < view->iterations; i++) {
            const struct core_timeline_entry *entry = &view->entries[(size_t)i * view->block->n_insns + p];
            const bool has_uops = entry->issued != NEVER;
            sums[0] += between(entry->dispatched + 1, has_uops ? entry->ready : NEVER);
            sums[1] += between(entry->ready, entry->issued);
            sums[2] += between(entry->issued, entry->executed);
            sums[3] += between(has_uops ? entry->executed : entry->dispatched, entry->retired);
        }
        table_cell(&table, "%u %s", p + 1, text_without_tabs(view->arena, view->block->insns[p].text));
        for (unsigned t = 0; t < 4; t++)
            table_cell(&table, "%.1f", sums[t] / view->iterations);
    }
    fputs("\n", out);
    table_print(&table, out, colour);
}

void core_timeline_view_print(const struct core_timeline_view *view, FILE *out, bool colour) {
    print_picture(view, out);
    print_waits(view, out, colour);
}
