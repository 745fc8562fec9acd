#include "survey/table/fills.h"

#include "base/text.h"
#include "survey/experiments/slots.h"
#include "survey/table/loops.h"
#include "survey/table/table_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Throughputs that differ by less are alike.
static const double least_share = 0.01;
// Share of the width that copies and fillers may take: else the width may limit them.
static const double most_share = 0.95, usual_share = 0.65;

// Copies of the form alone, unrolled or as a loop.
static bool is_plain(const struct table_throughput *throughput) {
    struct table_throughput plain = {.is_looped = throughput->is_looped};
    return table_throughput_way(throughput) == table_throughput_way(&plain);
}

// At least so many slots does a copy take.
static double slots_of(const struct table_row *row) {
    return row->slots.value.is_known ? fmax(1, ceil(row->slots.value.cycles)) : 1;
}

static bool are_alike(double cycles, double other) {
    return fabs(cycles - other) <= least_share * other;
}

// Whether it is what some of the form's uops take on a number of pipes, what its slots take, or half a cycle by some
// number. Each slot may hold a uop that needs a pipe for longer, so other fractions are possible, and only doubtful.
static bool is_explained(double cycles, double slots, double width) {
    enum { MOST_PIPES = 6 };
    double halves = fmax(1, round(2 * cycles)) / 2;
    if (are_alike(cycles, slots / width) || are_alike(cycles, halves))
        return true;
    for (unsigned pipes = 1; pipes <= MOST_PIPES; pipes++)
        if (are_alike(cycles, fmax(1, fmin(slots, round(cycles * pipes))) / pipes))
            return true;
    return false;
}

// Fillers that fit beside a copy, so that the width is not what limits them.
static double room(double cycles, double slots, double width, double share) {
    return floor(share * cycles * width - slots);
}

// The least throughput that is stable among fillers; null: no such throughput is known. Of two speeds, the slower one
// counts.
static const struct table_throughput *find_least(const struct table_row *row) {
    const struct table_throughput *least = NULL;
    for (size_t i = 0; i < row->n_throughputs; i++) {
        const struct table_throughput *each = &row->throughputs[i];
        if (each->fillers && table_is_stable(&each->value) && (!least || each->value.high < least->value.high))
            least = each;
    }
    return least;
}

static bool is_faster(const struct table_value *value, const struct table_value *other) {
    return value->high * (1 + least_share) < other->low;
}

// The headline, if it is of copies alone, and one number or a bound. Null: it is not.
static const struct table_throughput *find_candidate(const struct table_row *row) {
    const struct table_throughput *headline =
        row->headline < row->n_throughputs ? &row->throughputs[row->headline] : NULL;
    return headline && is_plain(headline) && table_is_stable(&headline->value) && !headline->value.has_two_speeds
               ? headline
               : NULL;
}

// ---- which are wanted

static void follow(struct arena *arena, struct table_row *row, const char *filler, unsigned n) {
    reader_follow(arena, row, (struct experiment_key){.kind = EXPERIMENT_FILLED, .filler = filler, .n_fillers = n});
}

static void add_made(struct arena *arena, struct table_row *row) {
    for (size_t i = 0; i < row->n_throughputs; i++)
        if (row->throughputs[i].fillers)
            follow(arena, row, row->throughputs[i].filler, row->throughputs[i].fillers);
}

static void add_wanted(struct arena *arena, const char *filler, double width, struct table_row *row) {
    const struct table_throughput *candidate = find_candidate(row);
    double cycles = candidate->value.cycles, slots = slots_of(row), most = room(cycles, slots, width, most_share);
    const double numbers[] = {1, 2, fmax(1, room(cycles, slots, width, usual_share))};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] <= fmin(most, SLOTS_MOST_FILLERS))
            follow(arena, row, filler, (unsigned)numbers[i]);
}

// ---- what they show

// Why a throughput of copies alone is a bound; null: it is not, by those with fillers.
static const char *judge(struct arena *arena, const struct table_row *row, double width,
                         const struct table_value *value, const struct table_throughput *least) {
    double slots = slots_of(row);
    const char *among = arena_printf(arena, "with %s behind each copy, it takes %.3g cycles",
                                     text_count(arena, least->fillers, "filler"), least->value.cycles);
    if (is_faster(&least->value, value))
        return among;
    bool is_longer = least->value.cycles > value->cycles * (1 + least_share) &&
                     least->fillers <= room(value->cycles, slots, width, most_share);
    return is_longer && !is_explained(value->cycles, slots, width)
               ? arena_printf(arena, "%s, though there is room", among)
               : NULL;
}

static void mark(struct arena *arena, double width, struct table_row *row, const struct table_throughput *least) {
    struct table_throughput *throughputs = table_copy_throughputs(arena, row);
    for (size_t i = 0; i < row->n_throughputs; i++) {
        struct table_value *value = &throughputs[i].value;
        const char *why =
            is_plain(&throughputs[i]) && table_is_single(value) ? judge(arena, row, width, value, least) : NULL;
        if (!why)
            continue;
        value->relation = TABLE_AT_MOST;
        value->why = why;
    }
    row->throughputs = throughputs;
    row->headline = reader_find_headline(row, true);
}

// ---- all rows

// Whether fillers may show less. `kinds`: scheduling classes, and names without numbers, of forms that have shown it.
static bool is_doubted(struct arena *arena, const struct table_row *row, double width, const char **kinds,
                       size_t n_kinds) {
    const struct table_throughput *candidate = find_candidate(row);
    const char *of_row[] = {row->sched_class, loops_letters(arena, row->form)};
    bool is_of_kind = false;
    for (size_t i = 0; kinds && i < sizeof of_row / sizeof *of_row; i++)
        is_of_kind |= of_row[i] && bsearch(&of_row[i], kinds, n_kinds, sizeof *kinds, text_compare);
    return candidate && (is_of_kind || !is_explained(candidate->value.cycles, slots_of(row), width));
}

// Adds the kinds of forms of which fillers show that copies alone take too long.
static size_t find_kinds(struct arena *arena, const struct table_row *rows, size_t n, const char ***kinds) {
    size_t n_kinds = 0;
    for (size_t i = 0; i < n; i++) {
        const struct table_throughput *least = find_least(&rows[i]), *candidate = find_candidate(&rows[i]);
        if (!least || !candidate || !is_faster(&least->value, &candidate->value))
            continue;
        *ARENA_ADD(arena, *kinds, n_kinds) = loops_letters(arena, rows[i].form);
        if (rows[i].sched_class)
            *ARENA_ADD(arena, *kinds, n_kinds) = rows[i].sched_class;
    }
    return text_sort(*kinds, n_kinds);
}

void fills_mark(struct arena *arena, const char *filler, double width, struct table_row *rows, size_t n) {
    const char **kinds = NULL;
    size_t n_kinds = find_kinds(arena, rows, n, &kinds);
    for (size_t i = 0; filler && i < n; i++) {
        const struct table_throughput *least = find_least(&rows[i]);
        add_made(arena, &rows[i]);
        if (is_doubted(arena, &rows[i], width, kinds, n_kinds))
            add_wanted(arena, filler, width, &rows[i]);
        if (least)
            mark(arena, width, &rows[i], least);
    }
}
