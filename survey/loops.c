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
        bool is_stable = each->value.is_known && each->value.verdict != MEASURED_UNSTABLE;
        if (is_stable && table_throughput_way(each) == table_throughput_way(&plain) &&
            (!most || each->streams > most->streams))
            most = each;
    }
    return most ? &most->value : NULL;
}

static bool is_faster(const struct table_value *loop, const struct table_value *unrolled) {
    static const double least = 0.01;
    return loop->high * (1 + least) < unrolled->low;
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
    const char **classes = NULL, **names = NULL;
    size_t n_classes = 0;
    *n = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct table_row *row = &table->rows[i];
        const struct table_value *loop = find_plain(row, true), *unrolled = find_plain(row, false);
        if (row->sched_class && loop && unrolled && is_faster(loop, unrolled))
            *ARENA_ADD(arena, classes, n_classes) = row->sched_class;
    }
    n_classes = text_sort(classes, n_classes);
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct table_row *row = &table->rows[i];
        const struct table_value *unrolled = find_plain(row, false);
        if (!unrolled || find_plain(row, true))
            continue;
        bool has_faster = n_classes && row->sched_class &&
                          bsearch(&row->sched_class, classes, n_classes, sizeof *classes, text_compare);
        if (has_faster || !is_of_whole_cycles(unrolled))
            *ARENA_ADD(arena, names, *n) = unrolled->kernel;
    }
    *n = text_sort(names, *n);
    return names;
}
