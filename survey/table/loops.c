#include "survey/table/loops.h"

#include "base/text.h"
#include "bench/whole.h"
#include "survey/forms/isa_traits.h"

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

bool loops_is_of_whole_cycles(const struct table_value *value) {
    enum { MOST_PIPES = 6 };
    for (unsigned pipes = 1; pipes <= MOST_PIPES; pipes++) {
        double whole = fmax(1, round(value->cycles * pipes)) / pipes;
        if (value->low <= whole * (1 + WHOLE_ON_PIPES) && value->high >= whole * (1 - WHOLE_ON_PIPES))
            return true;
    }
    return false;
}

// Whether its decoder may stall: then a loop is measured even where the unrolled value is not stable.
static const struct table_value *find_stalling(const struct isa *isa, const struct table_row *row) {
    const struct table_throughput plain = {.is_looped = false};
    for (size_t i = 0; i < row->n_throughputs; i++)
        if (table_throughput_way(&row->throughputs[i]) == table_throughput_way(&plain) &&
            isa_traits_may_stall(isa, row->throughputs[i].value.bytes))
            return &row->throughputs[i].value;
    return NULL;
}

// An unrolled throughput that has no loop, or the fastest of forms with the same letters.
struct unrolled {
    const char *letters; // of the form, without the numbers of widths: "ADDri" of ADD16ri and ADD64ri32
    const struct table_value *value;
    bool has_loop;
};

const char *loops_letters(struct arena *arena, const char *form) {
    char *letters = arena_strdup(arena, form);
    size_t n = 0;
    for (; *form; form++)
        if (*form < '0' || *form > '9')
            letters[n++] = *form;
    letters[n] = '\0';
    return letters;
}

static int compare_unrolled(const void *a, const void *b) {
    const struct unrolled *one = a, *other = b;
    int order = strcmp(one->letters, other->letters);
    double delta = one->value->cycles - other->value->cycles;
    return order ? order : (delta > 0) - (delta < 0);
}

// Adds those that another width is faster than.
static void add_slow_widths(struct arena *arena, const struct survey_table *table, double share, const char ***names,
                            size_t *n) {
    struct unrolled *sorted = ARENA_ARRAY(arena, struct unrolled, table->n_rows + 1);
    size_t n_sorted = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct table_row *row = &table->rows[i];
        const struct table_value *value = find_plain(row, false);
        if (value)
            sorted[n_sorted++] =
                (struct unrolled){loops_letters(arena, row->form), value, find_plain(row, true) != NULL};
    }
    qsort(sorted, n_sorted, sizeof *sorted, compare_unrolled);
    for (size_t i = 0, fastest = 0; i < n_sorted; i++) {
        if (strcmp(sorted[fastest].letters, sorted[i].letters) != 0)
            fastest = i;
        if (!sorted[i].has_loop && is_faster(sorted[fastest].value, sorted[i].value, share))
            *ARENA_ADD(arena, *names, *n) = sorted[i].value->kernel;
    }
}

const char **loops_wanted(struct arena *arena, const struct isa *isa, const struct survey_table *table, size_t *n) {
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
        const struct table_value *unrolled = find_plain(row, false), *stalling = find_stalling(isa, row);
        if (!find_plain(row, true) && stalling)
            *ARENA_ADD(arena, names, *n) = stalling->kernel;
        if (!unrolled || find_plain(row, true))
            continue;
        if (is_among(row->sched_class, classes, n_classes) || is_among(name_of(arena, row), alike, n_alike) ||
            !loops_is_of_whole_cycles(unrolled))
            *ARENA_ADD(arena, names, *n) = unrolled->kernel;
    }
    add_slow_widths(arena, table, clear, &names, n);
    *n = text_sort(names, *n);
    return names;
}
