#include "analyzer/views/core_counts.h"

#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"

#include <inttypes.h>

const char *core_counts_stall_name(enum event_stall kind) {
    static const char *const names[STALL_N_KINDS] = {
        [STALL_FRONT_END] = "front end",   [STALL_REORDER_BUFFER] = "reorder buffer", [STALL_SCHEDULER] = "scheduler",
        [STALL_LOAD_QUEUE] = "load queue", [STALL_STORE_QUEUE] = "store queue",
    };
    return names[kind];
}

static double percent(uint64_t count, const struct core_counts_view *view) {
    const uint64_t cycles = tally_sum(&view->slots);
    return cycles ? 100.0 * (double)count / (double)cycles : 0;
}

static void print_histogram(const struct core_counts_view *view, const struct tally *histogram, const char *title,
                            FILE *out, bool colour) {
    struct table table = {.arena = view->arena};
    table_column(&table, TABLE_RIGHT, title);
    table_column(&table, TABLE_RIGHT, "cycles");
    table_column(&table, TABLE_BESIDE, "");
    for (size_t i = 0; i < histogram->n; i++) {
        if (!histogram->counts[i])
            continue;
        table_cell(&table, "%zu", i);
        table_cell(&table, "%" PRIu64, histogram->counts[i]);
        table_cell(&table, "%.1f %%", percent(histogram->counts[i], view));
    }
    fputs("\n", out);
    table_print(&table, out, colour);
}

static void print_stalls(const struct core_counts_view *view, FILE *out, bool colour) {
    struct table table = {.arena = view->arena};
    table_column(&table, TABLE_LEFT, "dispatch waits for");
    table_column(&table, TABLE_RIGHT, "cycles");
    table_column(&table, TABLE_BESIDE, "");
    fputs("\n", out);
    for (unsigned kind = 0; kind < STALL_N_KINDS; kind++) {
        const uint64_t cycles = tally_get(&view->stalls, kind);
        if (!cycles || !core_counts_stall_name((enum event_stall)kind))
            continue;
        table_cell(&table, "%s", core_counts_stall_name((enum event_stall)kind));
        table_cell(&table, "%" PRIu64, cycles);
        table_cell(&table, "%.1f %%", percent(cycles, view));
    }
    if (table.n_cells)
        table_print(&table, out, colour);
    else
        fputs("dispatch never waits\n", out);
}

// "100 moves, 100 idioms"; "" where all counts are 0.
static const char *list(struct arena *arena, const struct tally *counts, const char *const *names, unsigned n) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (unsigned i = 0; i < n; i++)
        if (tally_get(counts, i))
            text_addf(&text, "%s%" PRIu64 " %s", *text.data ? ", " : "", tally_get(counts, i), names[i]);
    return text.data;
}

void core_counts_print_dispatch(const struct core_counts_view *view, FILE *out, bool colour) {
    static const char *const eliminated[] = {
        [ELIMINATED_IDIOM] = "idioms", [ELIMINATED_MOVE] = "moves", [ELIMINATED_NOP] = "nops"};
    static const char *const met[] = {[MEETING_FORWARDS] = "are forwarded",
                                      [MEETING_RENAMES] = "are found by renaming",
                                      [MEETING_BLOCKS] = "wait until it has retired"};
    print_histogram(view, &view->slots, "slots dispatched", out, colour);
    print_stalls(view, out, colour);
    const char *at_rename = list(view->arena, &view->eliminated, eliminated, 3);
    const char *loads = list(view->arena, &view->met, met, 3);
    if (*at_rename)
        screen_print_sentence(arena_printf(view->arena, "done by renaming: %s", at_rename), out);
    if (*loads)
        screen_print_sentence(arena_printf(view->arena, "loads of a store in flight: %s", loads), out);
}

void core_counts_print_issue(const struct core_counts_view *view, FILE *out, bool colour) {
    print_histogram(view, &view->uops, "uops issued", out, colour);
}

void core_counts_print_retirement(const struct core_counts_view *view, FILE *out, bool colour) {
    print_histogram(view, &view->retired, "instructions retired", out, colour);
}

static void print_sums(const struct core_counts_view *view, FILE *out, bool colour) {
    struct table table = {.arena = view->arena};
    table_column(&table, TABLE_LEFT, "pipe");
    table_column(&table, TABLE_RIGHT, "cycles per iteration");
    for (unsigned r = 1; r < view->pipes->n_resources; r++) {
        const double cycles = core_counts_held(view, view->block->n_insns, r);
        if (cycles <= 0)
            continue;
        table_cell(&table, "%s", view->pipes->resources[r].name);
        table_cell(&table, "%.2f", cycles);
    }
    table_print(&table, out, colour);
}

// "SKLPort0 0.49, SKLPort6 0.51".
static const char *shares(const struct core_counts_view *view, unsigned position) {
    struct text text = {.arena = view->arena};
    text_add(&text, "");
    for (unsigned r = 1; r < view->pipes->n_resources; r++) {
        const double cycles = core_counts_held(view, position, r);
        if (cycles > 0)
            text_addf(&text, "%s%s %.2f", *text.data ? ", " : "", view->pipes->resources[r].name, cycles);
    }
    return text.data;
}

static void print_shares(const struct core_counts_view *view, FILE *out, bool colour) {
    struct table table = {.arena = view->arena};
    table_column(&table, TABLE_CUT, "code");
    table_column(&table, TABLE_WRAP, "pipes, cycles per iteration");
    for (unsigned i = 0; i < view->block->n_insns; i++) {
        table_cell(&table, "%u %s", i + 1, text_without_tabs(view->arena, view->block->insns[i].text));
        table_cell(&table, "%s", shares(view, i));
    }
    fputs("\n", out);
    table_print(&table, out, colour);
}

void core_counts_print_pressure(const struct core_counts_view *view, FILE *out, bool colour) {
    double held = 0;
    for (unsigned r = 1; r < view->pipes->n_resources; r++)
        held += core_counts_held(view, view->block->n_insns, r);
    fputs("\n", out);
    if (held > 0) {
        print_sums(view, out, colour);
        print_shares(view, out, colour);
    } else {
        fputs("no pipe is held\n", out);
    }
}
