// Everything known of one form: each value with its interval, and how to measure it again.
#include "report/table_rows.h"

#include "base/screen.h"
#include "base/text.h"
#include "report/row_summary.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Both ends with the same digits.
static const char *interval(struct arena *arena, const struct table_value *value) {
    int low = row_summary_decimals(value->low), high = row_summary_decimals(value->high),
        decimals = low > high ? low : high;
    return arena_printf(arena, "%.*f to %.*f", decimals, value->low, decimals, value->high);
}

// Adds cells: cycles, interval, verdict.
static void add_value(struct arena *arena, struct table *grid, const struct table_value *value) {
    enum table_colour colour = table_value_colour(value);
    table_text_cell(grid, colour, table_value_text(arena, value));
    if (!row_summary_is_known(value)) {
        table_text_cell(grid, colour, "");
        table_text_cell(grid, colour, "not known");
        return;
    }
    table_text_cell(grid, colour, interval(arena, value));
    table_text_cell(grid, colour,
                    value->relation == TABLE_AT_MOST
                        ? arena_printf(arena, "bound, %s", bench_verdict_name(value->verdict))
                        : bench_verdict_name(value->verdict));
}

static struct table open_grid(struct arena *arena, const char *what, const char *unit, const char *fourth) {
    struct table grid = {.arena = arena, .is_whole = true};
    table_column(&grid, TABLE_WRAP, what);
    table_column(&grid, TABLE_LEFT, unit);
    table_column(&grid, TABLE_LEFT, "interval");
    table_column(&grid, TABLE_LEFT, "verdict");
    if (fourth)
        table_column(&grid, TABLE_LEFT, fourth);
    table_column(&grid, TABLE_NOTE, "");
    return grid;
}

static const char *closed_by(struct arena *arena, const struct table_value *value) {
    if (!value->kernel)
        return "";
    if (!value->partner)
        return "itself";
    if (table_is_crossing(value))
        return "a copy that crosses";
    if (!(value->sum > 0 && value->sum < 1e9))
        return value->partner;
    return arena_printf(arena, "%s, together %s", value->partner,
                        row_summary_number(arena, value->sum, row_summary_decimals(value->sum)));
}

static bool has_name(const struct table_row *row, const char *part) {
    for (size_t i = 0; i < row->n_latencies; i++)
        if (strstr(row->latencies[i].source, part) || strstr(row->latencies[i].destination, part))
            return true;
    return false;
}

// Explains the names of sources and results that this form has.
static void print_legend(struct arena *arena, const struct table_row *row, FILE *out) {
    static const struct {
        const char *part, *meaning;
    } names[] = {
        {".base", "N.base: a register of its address"}, {".index", "N.index: added to the address"},
        {".whole", "N.whole: the whole register"},      {"flags.zero", "flags.zero: flags, of which zero is read"},
        {"flags.carry", "flags.carry: carry alone"},    {"same", "same: all sources are one register"},
        {"memory", "memory: stored and loaded back"},
    };
    struct text text = {.arena = arena};
    bool has_others = false;
    text_add(&text, "A number is LLVM's operand, 0 mostly the result");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has_name(row, names[i].part))
            text_addf(&text, "; %s", names[i].meaning);
    for (size_t i = 0; i < row->n_latencies; i++)
        if (row->latencies[i].is_to_others)
            has_others = true;
    if (has_others)
        text_add(&text, "; to others: until another instruction has the result, such as the one that closes the chain");
    screen_print_whole_sentence(text.data, out);
}

static void print_latencies(struct arena *arena, const struct table_row *row, FILE *out, bool colour) {
    struct table grid = open_grid(arena, "latency", "cycles", "chain closed by");
    for (size_t i = 0; i < row->n_latencies; i++) {
        const struct table_value *value = &row->latencies[i].value;
        table_text_cell(&grid, TABLE_PLAIN, row_summary_pair(arena, &row->latencies[i]));
        add_value(arena, &grid, value);
        table_text_cell(&grid, TABLE_PLAIN, closed_by(arena, value));
        table_text_cell(&grid, TABLE_PLAIN, value->why ? value->why : "");
    }
    fputs(row->n_latencies ? "\n" : "", out);
    table_print(&grid, out, colour);
    if (row->n_latencies)
        print_legend(arena, row, out);
}

static void print_throughputs(struct arena *arena, const struct table_row *row, FILE *out, bool colour) {
    struct table grid = open_grid(arena, "reciprocal throughput", "cycles", NULL);
    for (size_t i = 0; i < row->n_throughputs; i++) {
        const struct table_throughput *throughput = &row->throughputs[i];
        const char *why = throughput->value.why ? throughput->value.why : "";
        bool is_headline = i == row->headline && row->n_throughputs > 1;
        table_text_cell(&grid, TABLE_PLAIN, table_throughput_text(arena, row, throughput));
        add_value(arena, &grid, &throughput->value);
        table_text_cell(
            &grid, TABLE_PLAIN,
            arena_printf(arena, "%s%s%s", is_headline ? "in the table" : "", is_headline && *why ? "; " : "", why));
    }
    fputs(row->n_throughputs ? "\n" : "", out);
    table_print(&grid, out, colour);
}

// What was counted in the throughput of the table, or in the first one.
static void print_counts(struct arena *arena, const struct table_row *row, FILE *out, bool colour) {
    size_t which = row->headline < row->n_throughputs ? row->headline : 0;
    const struct table_throughput *throughput = row->n_throughputs ? &row->throughputs[which] : NULL;
    struct table grid = {.arena = arena, .is_whole = true};
    if (!throughput || !throughput->n_counts)
        return;
    table_column(&grid, TABLE_WRAP, arena_printf(arena, "counted: %s", table_throughput_text(arena, row, throughput)));
    table_column(&grid, TABLE_LEFT, "per instruction");
    table_column(&grid, TABLE_LEFT, "interval");
    table_column(&grid, TABLE_NOTE, "");
    size_t n_zero = 0;
    for (size_t i = 0; i < throughput->n_counts; i++) {
        const struct table_count *count = &throughput->counts[i];
        if (fabs(count->count) < 0.005 && !count->why) { // pipes that it does not use
            n_zero++;
            continue;
        }
        table_text_cell(&grid, TABLE_PLAIN, count->event);
        table_text_cell(&grid, TABLE_PLAIN, row_summary_number(arena, count->count, 2));
        table_text_cell(&grid, TABLE_PLAIN, arena_printf(arena, "%.2f to %.2f", count->low, count->high));
        table_text_cell(&grid, TABLE_PLAIN, count->why ? count->why : "");
    }
    if (n_zero) {
        table_text_cell(&grid, TABLE_PLAIN, arena_printf(arena, "%zu other event%s", n_zero, n_zero > 1 ? "s" : ""));
        table_text_cell(&grid, TABLE_PLAIN, "0");
        table_text_cell(&grid, TABLE_PLAIN, "");
        table_text_cell(&grid, TABLE_PLAIN, "");
    }
    fputc('\n', out);
    table_print(&grid, out, colour);
}

static void print_slots(struct arena *arena, const struct survey_table *table, const struct table_row *row, FILE *out,
                        bool colour) {
    struct table grid = open_grid(arena, "dispatch", "slots", NULL);
    const struct table_value *value = &row->slots.value;
    if (!value->is_known && !value->why)
        return;
    table_text_cell(&grid, TABLE_PLAIN,
                    table->filler ? arena_printf(arena, "of %s a cycle", row_summary_number(arena, table->width, 2))
                                  : "of an unknown width");
    add_value(arena, &grid, value);
    table_text_cell(&grid, TABLE_PLAIN, value->why ? value->why : "");
    fputc('\n', out);
    table_print(&grid, out, colour);
}

static void print_models(struct arena *arena, const struct survey_table *table, const struct table_row *row, FILE *out,
                         bool colour) {
    const struct row_summary_range latencies = row_summary_latency_range(row),
                                   throughputs = row_summary_throughput_range(row);
    struct table grid = {.arena = arena, .is_whole = true};
    table_column(&grid, TABLE_WRAP, "model");
    table_column(&grid, TABLE_LEFT, "latency");
    table_column(&grid, TABLE_LEFT, "reciprocal throughput");
    table_column(&grid, TABLE_RIGHT, "uops");
    for (size_t i = 0; i < table->n_models; i++) {
        const struct table_model *model = row->models && row->models[i].is_known ? &row->models[i] : NULL;
        table_text_cell(&grid, TABLE_PLAIN, table->models[i]);
        table_text_cell(&grid, model && row_summary_differs(arena, model->latency, latencies) ? TABLE_RED : TABLE_PLAIN,
                        model ? table_model_text(arena, model->latency, &latencies) : "-");
        table_text_cell(&grid,
                        model && row_summary_differs(arena, model->rthroughput, throughputs) ? TABLE_RED : TABLE_PLAIN,
                        model ? table_model_text(arena, model->rthroughput, &throughputs) : "-");
        table_text_cell(&grid, TABLE_PLAIN, model ? arena_printf(arena, "%u", model->uops) : "-");
    }
    fputs(table->n_models ? "\n" : "", out);
    table_print(&grid, out, colour);
}

// Returns "c5 f4 58 c2", which breaks between bytes. Of long code, the beginning.
static const char *spaced(struct arena *arena, const char *hex, size_t most_bytes) {
    struct text text = {.arena = arena};
    size_t n_bytes = hex ? strlen(hex) / 2 : 0;
    text_add(&text, "");
    for (size_t i = 0; i < n_bytes && i < most_bytes; i++)
        text_addf(&text, "%s%.2s", i ? " " : "", &hex[2 * i]);
    if (n_bytes > most_bytes)
        text_addf(&text, " … (%zu bytes)", n_bytes);
    return text.data;
}

// `place`: folder of the first one. `most_bytes`: of long code, that many are shown.
static void add_kernel(struct arena *arena, struct table *grid, const char *what, const struct table_value *value,
                       size_t most_bytes, struct table_value *place) {
    if (!value->kernel)
        return;
    place->folder = place->folder ? place->folder : value->folder;
    table_cell(grid, "%s%s%s", value->kernel, value->how ? " " : "", value->how ? value->how : "");
    table_text_cell(grid, TABLE_PLAIN, what);
    table_text_cell(grid, TABLE_PLAIN, spaced(arena, value->bytes, most_bytes));
}

static void print_kernels(struct arena *arena, const struct survey_table *table, const struct table_row *row, FILE *out,
                          bool colour) {
    // Of long code, people read the beginning and the length. A program wants it whole.
    enum { MOST_BYTES = 16 };
    size_t most_bytes = screen_whole_columns(out) == screen_columns(out) ? MOST_BYTES : SIZE_MAX;
    struct table grid = {.arena = arena, .is_whole = true};
    struct table_value place = {0};
    bool has_kernel = false, has_copies = false;
    table_column(&grid, TABLE_WRAP, "kernel"); // never cut: it is to be repeated
    table_column(&grid, TABLE_WRAP, "measures");
    table_column(&grid, TABLE_WRAP, "bytes of one body");
    for (size_t i = 0; i < row->n_latencies; i++) {
        const struct table_latency *latency = &row->latencies[i];
        add_kernel(arena, &grid, arena_printf(arena, "latency %s", row_summary_pair(arena, latency)), &latency->value,
                   most_bytes, &place);
        has_kernel |= latency->value.kernel != NULL;
    }
    for (size_t i = 0; i < row->n_throughputs; i++) {
        const struct table_throughput *throughput = &row->throughputs[i];
        add_kernel(arena, &grid, table_throughput_text(arena, row, throughput), &throughput->value, most_bytes, &place);
        has_kernel |= throughput->value.kernel != NULL;
        has_copies |= throughput->value.kernel && throughput->has_breakers && throughput->copies > 1;
    }
    add_kernel(arena, &grid, "dispatch slots", &row->slots.value, most_bytes, &place);
    has_kernel |= row->slots.value.kernel != NULL;
    if (!has_kernel)
        return;
    fputc('\n', out);
    screen_print_whole_sentence(
        arena_printf(arena, "To measure again: %s KERNEL", table_repeat(arena, &place, table->repeat_options)), out);
    table_print(&grid, out, colour);
    if (has_copies)
        screen_print_whole_sentence(
            "Of breakers each N copies, 'cyclops run' prints the cycles of N copies and their breaker.", out);
}

void table_page_print(struct arena *arena, const struct survey_table *table, const struct table_row *row, FILE *out,
                      bool colour) {
    screen_print_whole_sentence(
        arena_printf(arena, "%s%s%s", row->form, row->example ? ": " : "", row->example ? row->example : ""), out);
    screen_print_whole_sentence(table->cpu, out);
    if (table->clock)
        screen_print_whole_sentence(arena_printf(arena, "Clock: %s", table->clock), out);
    screen_print_whole_sentence(arena_printf(arena, "Measured: %s", date_range_said(arena, &table->when)), out);
    if (row->sched_class)
        screen_print_whole_sentence(arena_printf(arena, "Scheduling class: %s", row->sched_class), out);
    if (row->left_out)
        screen_print_whole_sentence(arena_printf(arena, "Not measured: %s", row->left_out), out);
    print_latencies(arena, row, out, colour);
    print_throughputs(arena, row, out, colour);
    print_counts(arena, row, out, colour);
    print_slots(arena, table, row, out, colour);
    print_models(arena, table, row, out, colour);
    print_kernels(arena, table, row, out, colour);
}
