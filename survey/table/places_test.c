// In which placements a form is measured: what its class's first form shows.
#include "survey/table/places.h"

#include "survey/experiments/experiment_key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 4 };

// A form with throughputs; where it has several, it is the first of its class.
struct placed_form {
    struct table_throughput throughputs[MOST];
    size_t n;
};

static void add(struct placed_form *form, enum program_placement placement, bool is_elsewhere, double cycles) {
    form->throughputs[form->n++] = (struct table_throughput){.placement = placement,
                                                             .is_elsewhere = is_elsewhere,
                                                             .streams = 12,
                                                             .value = {.is_known = true,
                                                                       .cycles = cycles,
                                                                       .low = cycles * 0.998,
                                                                       .high = cycles * 1.002,
                                                                       .verdict = MEASURED_WITHIN}};
}

static struct placed_form load(double line, double address, double lines) {
    struct placed_form form = {.n = 0};
    add(&form, PLACEMENT_SAME_LINE, false, line);
    add(&form, PLACEMENT_SAME_ADDRESS, true, address);
    add(&form, PLACEMENT_OWN_LINES, true, lines);
    return form;
}

static struct placed_form store(double lines, double address, double line) {
    struct placed_form form = {.n = 0};
    add(&form, PLACEMENT_OWN_LINES, false, lines);
    add(&form, PLACEMENT_SAME_ADDRESS, false, address);
    add(&form, PLACEMENT_SAME_LINE, true, line);
    return form;
}

// What another form of the class gets.
static unsigned wanted(const struct placed_form *first) {
    struct arena arena = {0};
    struct placed_form other = {.n = 0};
    add(&other, first->throughputs[0].placement, false, 0.33);
    struct table_row rows[] = {
        {.sched_class = "A", .throughputs = first->throughputs, .n_throughputs = first->n},
        {.sched_class = "B", .throughputs = other.throughputs, .n_throughputs = other.n},
        {.sched_class = "A", .throughputs = other.throughputs, .n_throughputs = other.n},
        {.throughputs = first->throughputs, .n_throughputs = first->n},
    };
    places_mark(&arena, rows, sizeof rows / sizeof *rows);
    assert_int_equal(rows[1].n_follow, 0);
    assert_int_equal(rows[3].n_follow, 0);
    unsigned placements = 0;
    for (size_t i = 0; i < rows[2].n_follow; i++) {
        assert_int_equal(rows[2].follow[i].kind, EXPERIMENT_PLACES);
        placements |= 1U << rows[2].follow[i].placement;
    }
    arena_free(&arena);
    return placements;
}

// A Redwood Cove's: three words side by side a cycle, two from one address.
static void a_bank_shows(void **state) {
    (void)state;
    struct placed_form bank = load(0.333, 0.5, 0.333), lines = load(0.25, 0.25, 0.5), neither = load(0.5, 0.5, 0.502);
    assert_int_equal(wanted(&bank), 1 << PLACEMENT_SAME_ADDRESS);
    assert_int_equal(wanted(&lines), 1 << PLACEMENT_OWN_LINES);
    assert_int_equal(wanted(&neither), 0);
}

// Stores to neighbours are measured where neither those to one address nor those to lines take as long.
static void neighbours_show(void **state) {
    (void)state;
    struct placed_form neighbours = store(1, 1, 0.5), address = store(1, 0.5, 0.5), pipes = store(1, 1, 1);
    assert_int_equal(wanted(&neighbours), 1 << PLACEMENT_SAME_LINE);
    assert_int_equal(wanted(&address), 0);
    assert_int_equal(wanted(&pipes), 0);
}

static void only_single_stable_values_show_it(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct placed_form form = load(0.333, 0.5, 0.333);
        struct table_throughput *each = &form.throughputs[i];
        each->value.verdict = MEASURED_UNSTABLE;
        assert_int_equal(wanted(&form), 0);
        each->value.verdict = MEASURED_WITHIN;
        each->value.has_two_speeds = true;
        assert_int_equal(wanted(&form), 0);
        each->value.has_two_speeds = false;
        each->value.relation = TABLE_AT_MOST;
        assert_int_equal(wanted(&form), 0);
        each->value.relation = TABLE_EQUAL;
        each->streams = 6; // half of them may wait for themselves
        assert_int_equal(wanted(&form), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bank_shows),
        cmocka_unit_test(neighbours_show),
        cmocka_unit_test(only_single_stable_values_show_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
