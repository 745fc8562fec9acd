#include "survey/loops.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The form's own copies, with nothing around them: those of most streams. Null: it has no such stable throughput.
static const struct table_value *find_plain(const struct table_row *row, bool is_looped) {
    const struct table_throughput *most = NULL;
    for (size_t i = 0; i < row->n_throughputs; i++) {
        const struct table_throughput *each = &row->throughputs[i];
        const struct table_throughput plain = {.is_looped = is_looped};
        if (table_is_stable(&each->value) && table_throughput_way(each) == table_throughput_way(&plain) &&
            (!most || each->streams > most->streams))
            most = each;
    }
    return most ? &most->value : NULL;
}

static bool is_faster(const struct table_value *loop, const struct table_value *unrolled, double share) {
    return loop->high * (1 + share) < unrolled->low;
}

static const char *name_of(struct arena *arena, const struct table_row *row) {
    return arena_copy(arena, row->form, strcspn(row->form, "0123456789"));
}

static bool is_among(const char *text, const char **sorted, size_t n) {
    return text && sorted && bsearch(&text, sorted, n, sizeof *sorted, text_compare);
}

static bool is_of_whole_cycles(const struct table_value *value) {
    enum { MOST_PIPES = 6 };
    static const double share = 0.01;
    for (unsigned pipes = 1; pipes <= MOST_PIPES; pipes++) {
        double whole = fmax(1, round(value->cycles * pipes)) / pipes;
        if (value->low <= whole * (1 + share) && value->high >= whole * (1 - share))
            return true;
    }
    return false;
}

const char **loops_wanted(struct arena *arena, const struct survey_table *table, size_t *n) {
    static const double least = 0.01, clear = 0.1;
    const char **classes = NULL, **alike = NULL, **names = NULL;
    size_t n_classes = 0, n_alike = 0;
    *n = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct table_row *row = &table->rows[i];
        const struct table_value *loop = find_plain(row, true), *unrolled = find_plain(row, false);
        if (!loop || !unrolled)
            continue;
        if (row->sched_class && is_faster(loop, unrolled, least))
            *ARENA_ADD(arena, classes, n_classes) = row->sched_class;
        if (is_faster(loop, unrolled, clear))
            *ARENA_ADD(arena, alike, n_alike) = name_of(arena, row);
    }
    n_classes = text_sort(classes, n_classes);
    n_alike = text_sort(alike, n_alike);
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct table_row *row = &table->rows[i];
        const struct table_value *unrolled = find_plain(row, false);
        if (!unrolled || find_plain(row, true))
            continue;
        if (is_among(row->sched_class, classes, n_classes) || is_among(name_of(arena, row), alike, n_alike) ||
            !is_of_whole_cycles(unrolled))
            *ARENA_ADD(arena, names, *n) = unrolled->kernel;
    }
    *n = text_sort(names, *n);
    return names;
}
