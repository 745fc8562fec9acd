#include "report/row_summary.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

// Below this, cycles are as good as none: factors between such numbers mean nothing.
static const double LEAST_CYCLES = 0.05;

bool row_summary_is_known(const struct table_value *value) {
    return value->is_known && isfinite(value->cycles) && isfinite(value->low) && isfinite(value->high);
}

static bool is_unstable(const struct table_value *value) {
    return value->verdict == MEASURED_UNSTABLE;
}

static bool is_sure(const struct table_value *value) {
    return row_summary_is_known(value) && !is_unstable(value) && value->relation == TABLE_EQUAL &&
           !value->has_two_speeds;
}

const char *row_summary_pair(struct arena *arena, const struct table_latency *latency) {
    return arena_printf(arena, "%s → %s%s%s", latency->source, latency->destination,
                        latency->has_slow_values ? ", slow values" : "", latency->is_to_others ? ", to others" : "");
}

const char *row_summary_number(struct arena *arena, double number, int decimals) {
    struct text text = {.arena = arena};
    text_add_number(&text, number, decimals);
    return text.data;
}

int row_summary_decimals(double cycles) {
    return fabs(cycles) < 0.995 ? 3 : 2;
}

const char *row_summary_value(struct arena *arena, const struct table_value *value) {
    bool is_bound = value->relation == TABLE_AT_MOST;
    double cycles = value->has_two_speeds && is_bound ? value->high : value->cycles;
    if (value->has_two_speeds && !is_bound)
        return arena_printf(arena, "%s~%s", row_summary_number(arena, value->low, value->high < 10 ? 2 : 1),
                            row_summary_number(arena, value->high, value->high < 10 ? 2 : 1));
    return arena_printf(arena, "%s%s", is_bound ? "≤" : "",
                        row_summary_number(arena, cycles, row_summary_decimals(cycles)));
}

const char *row_summary_doubt(struct arena *arena, const char *what, const struct table_value *value) {
    if (is_unstable(value))
        return arena_printf(arena, "%s is unstable%s%s", what, value->why ? ": " : "", value->why ? value->why : "");
    if (value->has_two_speeds)
        return arena_printf(arena, "%s has %s", what, value->why);
    if (value->relation == TABLE_AT_MOST)
        return arena_printf(arena, "%s is known as an upper bound only, %s cycles", what,
                            row_summary_number(arena, value->cycles, row_summary_decimals(value->cycles)));
    return NULL;
}

// Where others agree with the largest latency, returns the largest of those that are exact.
static const struct table_latency *exact_as(const struct table_row *row, const struct table_latency *most) {
    const struct table_latency *found = NULL;
    for (size_t i = 0; i < row->n_latencies; i++) {
        const struct table_latency *latency = &row->latencies[i];
        const struct table_value *value = &latency->value;
        bool agrees = !table_latency_is_special(latency) && is_sure(value) && value->verdict == MEASURED_EXACT &&
                      most->value.low - value->high <= MEASURED_LEAST_DIFFERENCE * value->cycles;
        if (agrees && (!found || value->cycles > found->value.cycles))
            found = latency;
    }
    return found ? found : most;
}

// Returns the largest latency of those that are sure, or of all that are known; null: there is none.
static const struct table_latency *largest(const struct table_row *row, bool among_sure) {
    const struct table_latency *found = NULL;
    for (size_t i = 0; i < row->n_latencies; i++) {
        const struct table_latency *latency = &row->latencies[i];
        bool counts = among_sure ? is_sure(&latency->value) : row_summary_is_known(&latency->value);
        if (counts && !table_latency_is_special(latency) && (!found || latency->value.cycles > found->value.cycles))
            found = latency;
    }
    return found && among_sure ? exact_as(row, found) : found;
}

struct row_summary row_summary_latency(struct arena *arena, const struct table_row *row) {
    const struct table_latency *sure = largest(row, true);
    struct row_summary summary = {.latency = sure ? sure : largest(row, false)};
    for (size_t i = 0; i < row->n_latencies; i++) {
        const struct table_latency *latency = &row->latencies[i];
        const struct table_value *value = &latency->value;
        if (table_latency_is_special(latency))
            continue;
        if (!row_summary_is_known(value))
            summary.n_unknown++;
        else if (!is_sure(value) && !summary.doubt &&
                 (!sure || value->high > sure->value.high * (1 + MEASURED_LEAST_DIFFERENCE)))
            summary.doubt =
                row_summary_doubt(arena, arena_printf(arena, "latency %s", row_summary_pair(arena, latency)), value);
    }
    return summary;
}

const struct table_throughput *row_summary_throughput(const struct table_row *row) {
    if (row->headline >= row->n_throughputs || !row_summary_is_known(&row->throughputs[row->headline].value))
        return NULL;
    return &row->throughputs[row->headline];
}

struct row_summary_range row_summary_latency_range(const struct table_row *row) {
    const struct table_latency *sure = largest(row, true);
    struct row_summary_range range = {.low = sure ? sure->value.low : 0};
    bool has_pairs = false;
    for (size_t i = 0; i < row->n_latencies; i++) {
        const struct table_value *value = &row->latencies[i].value;
        if (table_latency_is_special(&row->latencies[i]))
            continue;
        // A pair of unknown latency may have the largest.
        range.high = fmax(range.high, row_summary_is_known(value) && !is_unstable(value) ? value->high : INFINITY);
        has_pairs = true;
    }
    if (!has_pairs)
        range.high = INFINITY;
    return range;
}

struct row_summary_range row_summary_throughput_range(const struct table_row *row) {
    const struct table_throughput *throughput = row_summary_throughput(row);
    if (!throughput || is_unstable(&throughput->value))
        return (struct row_summary_range){0, INFINITY};
    bool is_bound = throughput->value.relation == TABLE_AT_MOST;
    return (struct row_summary_range){is_bound ? 0 : throughput->value.low, throughput->value.high};
}

double row_summary_off(double number, struct row_summary_range range) {
    double nearest = fmin(fmax(number, range.low), range.high);
    double smaller = fmin(number, nearest);
    if (!isfinite(number) || fabs(number - nearest) <= MEASURED_LEAST_DIFFERENCE * smaller)
        return 1;
    return fmax(fmax(number, nearest), LEAST_CYCLES) / fmax(smaller, LEAST_CYCLES);
}

bool row_summary_differs(struct arena *arena, double number, struct row_summary_range range) {
    double nearest = fmin(fmax(number, range.low), range.high);
    return row_summary_off(number, range) > 1 &&
           strcmp(row_summary_number(arena, number, row_summary_decimals(number)),
                  row_summary_number(arena, nearest, row_summary_decimals(nearest))) != 0;
}

double row_summary_most_off(const struct survey_table *table, const struct table_row *row) {
    double most = 1;
    for (size_t i = 0; i < table->n_models && row->models; i++)
        if (row->models[i].is_known) {
            most = fmax(most, row_summary_off(row->models[i].latency, row_summary_latency_range(row)));
            most = fmax(most, row_summary_off(row->models[i].rthroughput, row_summary_throughput_range(row)));
        }
    return most;
}
