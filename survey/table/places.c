#include "survey/table/places.h"

#include "survey/table/table_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a class shows.
struct shown {
    const char *sched_class;
    unsigned placements; // a bit for each that matters
};

static int compare_classes(const void *a, const void *b) {
    const struct shown *one = a, *other = b;
    return strcmp(one->sched_class, other->sched_class);
}

// Whether it is among those that a form in another placement is compared with: unrolled copies of the form alone.
static bool is_usual(const struct table_throughput *throughput) {
    struct table_throughput usual = {.placement = throughput->placement};
    return !throughput->is_elsewhere && table_throughput_way(throughput) == table_throughput_way(&usual);
}

// Whether no usual placement takes as long.
static bool matters(const struct table_row *row, const struct table_throughput *elsewhere) {
    static const double share = 0.03;
    unsigned n_usual = 0;
    for (size_t i = 0; i < row->n_throughputs; i++) {
        const struct table_throughput *each = &row->throughputs[i];
        double cycles = each->value.cycles;
        if (!is_usual(each) || each->streams != elsewhere->streams)
            continue;
        if (!table_is_single(&each->value) || fabs(elsewhere->value.cycles - cycles) <= share * cycles)
            return false;
        n_usual++;
    }
    return n_usual && table_is_single(&elsewhere->value);
}

static unsigned shown_by(const struct table_row *row) {
    unsigned placements = 0;
    for (size_t i = 0; i < row->n_throughputs; i++)
        if (row->throughputs[i].is_elsewhere && matters(row, &row->throughputs[i]))
            placements |= 1U << row->throughputs[i].placement;
    return placements;
}

static void follow(struct arena *arena, struct table_row *row, unsigned placements) {
    for (unsigned i = 0; i < PROGRAM_N_PLACEMENTS; i++)
        if (placements & 1U << i)
            reader_follow(arena, row,
                          (struct experiment_key){.kind = EXPERIMENT_PLACES, .placement = (enum program_placement)i});
}

void places_mark(struct arena *arena, struct table_row *rows, size_t n) {
    struct shown *classes = NULL;
    size_t n_classes = 0;
    for (size_t i = 0; i < n; i++) {
        struct shown shown = {rows[i].sched_class, rows[i].sched_class ? shown_by(&rows[i]) : 0};
        if (shown.placements)
            *ARENA_ADD(arena, classes, n_classes) = shown;
    }
    if (!n_classes)
        return;
    qsort(classes, n_classes, sizeof *classes, compare_classes);
    for (size_t i = 0; i < n; i++) {
        const struct shown wanted = {rows[i].sched_class, 0};
        const struct shown *found =
            wanted.sched_class ? bsearch(&wanted, classes, n_classes, sizeof wanted, compare_classes) : NULL;
        if (!found)
            continue;
        while (found > classes && compare_classes(found - 1, found) == 0)
            found--;
        for (; found < classes + n_classes && compare_classes(found, &wanted) == 0; found++)
            follow(arena, &rows[i], found->placements);
    }
}
