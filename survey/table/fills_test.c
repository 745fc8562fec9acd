// Throughputs with fillers behind each copy.
#include "survey/table/fills.h"

#include "survey/experiments/experiment_key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N_ROWS = 2, N_THROUGHPUTS = 3, WIDTH = 8 };

// Rows of one class. Each has copies alone, unrolled and as a loop, and copies with fillers.
struct fixture {
    struct arena arena;
    struct table_throughput throughputs[N_ROWS][N_THROUGHPUTS];
    struct table_row rows[N_ROWS];
};

static void set_cycles(struct table_throughput *throughput, double cycles) {
    throughput->value = (struct table_value){.is_known = true,
                                             .cycles = cycles,
                                             .low = cycles * 0.998,
                                             .high = cycles * 1.002,
                                             .relation = throughput->fillers ? TABLE_AT_MOST : TABLE_EQUAL,
                                             .verdict = MEASURED_WITHIN};
}

static void set_up_row(struct fixture *f, size_t row, double cycles, unsigned slots) {
    struct table_throughput *throughputs = f->throughputs[row];
    for (size_t i = 0; i < N_THROUGHPUTS; i++) {
        throughputs[i] = (struct table_throughput){.streams = 15, .copies = 1, .is_looped = i == 1};
        set_cycles(&throughputs[i], cycles);
    }
    f->rows[row] = (struct table_row){.form = row ? "OTHER" : "FORM",
                                      .sched_class = "C",
                                      .throughputs = throughputs,
                                      .n_throughputs = 2,
                                      .slots.value = {.is_known = slots, .cycles = slots}};
}

static void set_up(struct fixture *f, double cycles, unsigned slots) {
    *f = (struct fixture){.arena = {0}};
    set_up_row(f, 0, cycles, slots);
    set_up_row(f, 1, 0.5, 1);
}

// Copies of the first row with fillers, which are measured.
static void add_filled(struct fixture *f, unsigned fillers, double cycles) {
    struct table_throughput *filled = &f->throughputs[0][N_THROUGHPUTS - 1];
    filled->fillers = fillers;
    filled->filler = "xor";
    set_cycles(filled, cycles);
    f->rows[0].n_throughputs = N_THROUGHPUTS;
}

static void mark(struct fixture *f) {
    fills_mark(&f->arena, "xor", WIDTH, f->rows, N_ROWS);
}

static void wants(const struct table_row *row, const unsigned *numbers, size_t n) {
    assert_int_equal(row->n_follow, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(row->follow[i].kind, EXPERIMENT_FILLED);
        assert_string_equal(row->follow[i].filler, "xor");
        assert_int_equal(row->follow[i].n_fillers, numbers[i]);
    }
}

static const struct table_value *headline_of(const struct fixture *f) {
    assert_true(f->rows[0].headline < f->rows[0].n_throughputs);
    return &f->rows[0].throughputs[f->rows[0].headline].value;
}

static void what_nothing_explains_wants_fillers(void **state) {
    static const struct {
        double cycles;
        unsigned slots, wanted[3];
        size_t n_wanted;
    } cases[] = {
        {0.8, 2, {1, 2}, 2},       // two uops on no number of pipes
        {1.0435, 1, {1, 2, 4}, 3}, // stores
        {0.279, 1, {1}, 1},        // two fillers would need all slots
        {0.8, 4, {0}, 0},          // four uops on five pipes
        {2.0 / 3, 2, {0}, 0},      // two uops on three
        {0.25, 1, {0}, 0},         {0.125, 1, {0}, 0}, {0.375, 3, {0}, 0},
        {1.5, 1, {0}, 0},          {7.03, 1, {0}, 0},  {0.135, 1, {0}, 0}, // no room
        {40.2, 1, {0}, 0},                                                 // whole within a percent
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        set_up(&f, cases[i].cycles, cases[i].slots);
        mark(&f);
        wants(&f.rows[0], cases[i].wanted, cases[i].n_wanted);
        wants(&f.rows[1], NULL, 0);
        assert_int_equal(headline_of(&f)->relation, TABLE_EQUAL); // nothing is measured yet
        arena_free(&f.arena);
    }
}

static void without_filler_or_number_there_is_nothing(void **state) {
    struct fixture f;
    (void)state;
    set_up(&f, 0.8, 2);
    fills_mark(&f.arena, NULL, 0, f.rows, N_ROWS);
    wants(&f.rows[0], NULL, 0);
    for (size_t i = 0; i < 2; i++) // of two speeds, and unstable
        f.throughputs[0][i].value.has_two_speeds = true;
    mark(&f);
    wants(&f.rows[0], NULL, 0);
    for (size_t i = 0; i < 2; i++)
        f.throughputs[0][i].value.verdict = MEASURED_UNSTABLE;
    mark(&f);
    wants(&f.rows[0], NULL, 0);
    arena_free(&f.arena);
}

static void less_among_fillers_makes_bounds(void **state) {
    static const unsigned made[] = {2, 1};
    struct fixture f;
    (void)state;
    set_up(&f, 0.8, 2);
    add_filled(&f, 2, 0.711);
    mark(&f);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(f.rows[0].throughputs[i].value.relation, TABLE_AT_MOST);
        assert_string_equal(f.rows[0].throughputs[i].value.why,
                            "with 2 fillers behind each copy, it takes 0.711 cycles");
    }
    assert_int_equal(f.rows[0].headline, 2);
    wants(&f.rows[0], made, 2);                                        // also what is measured
    assert_int_equal(f.throughputs[0][0].value.relation, TABLE_EQUAL); // the rows have copies
    arena_free(&f.arena);
}

// What pipes would give, and the class shows to be wrong.
static void a_class_is_doubted_with_its_form(void **state) {
    static const unsigned wanted[] = {1, 2};
    struct fixture f;
    (void)state;
    set_up(&f, 0.8, 2);
    set_up_row(&f, 1, 0.5, 1);
    add_filled(&f, 2, 0.711);
    mark(&f);
    wants(&f.rows[1], wanted, 2);
    assert_int_equal(f.rows[1].throughputs[0].value.relation, TABLE_EQUAL);
    arena_free(&f.arena);
    set_up(&f, 0.8, 2);
    f.rows[1].sched_class = NULL;
    add_filled(&f, 2, 0.711);
    mark(&f);
    wants(&f.rows[1], NULL, 0);
    arena_free(&f.arena);
    set_up(&f, 0.8, 2);
    f.rows[1].sched_class = NULL;
    f.rows[1].form = "FO16RM8"; // the same name but for numbers
    add_filled(&f, 2, 0.711);
    mark(&f);
    wants(&f.rows[1], wanted, 2);
    arena_free(&f.arena);
}

static void as_long_among_fillers_is_its_own(void **state) {
    struct fixture f;
    (void)state;
    set_up(&f, 0.8, 2);
    add_filled(&f, 2, 0.7995);
    mark(&f);
    assert_int_equal(headline_of(&f)->relation, TABLE_EQUAL);
    assert_int_equal(f.rows[0].headline, 0);
    arena_free(&f.arena);
}

static void longer_among_fillers_is_a_bound_where_slots_are_left(void **state) {
    struct fixture f;
    (void)state;
    set_up(&f, 0.8, 2);
    add_filled(&f, 2, 0.85);
    mark(&f);
    assert_int_equal(headline_of(&f)->relation, TABLE_AT_MOST);
    assert_string_equal(headline_of(&f)->why,
                        "with 2 fillers behind each copy, it takes 0.85 cycles, though there is room");
    assert_int_equal(f.rows[0].headline, 0);
    assert_int_equal(f.rows[0].throughputs[1].value.relation, TABLE_AT_MOST); // the loop takes as long
    arena_free(&f.arena);
    set_up(&f, 0.8, 2);
    add_filled(&f, 2, 0.807); // within a percent
    mark(&f);
    assert_int_equal(headline_of(&f)->relation, TABLE_EQUAL);
    arena_free(&f.arena);
    set_up(&f, 0.8, 2);
    add_filled(&f, 5, 0.88); // seven slots
    mark(&f);
    assert_int_equal(headline_of(&f)->relation, TABLE_EQUAL);
    arena_free(&f.arena);
    set_up(&f, 0.5, 2); // what pipes give
    add_filled(&f, 1, 0.55);
    mark(&f);
    assert_int_equal(headline_of(&f)->relation, TABLE_EQUAL);
    arena_free(&f.arena);
}

static void unstable_fillers_show_nothing(void **state) {
    struct fixture f;
    (void)state;
    set_up(&f, 0.8, 2);
    add_filled(&f, 2, 0.711);
    f.throughputs[0][2].value.verdict = MEASURED_UNSTABLE;
    mark(&f);
    assert_int_equal(headline_of(&f)->relation, TABLE_EQUAL);
    assert_int_equal(f.rows[0].headline, 0);
    arena_free(&f.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nothing_explains_wants_fillers),
        cmocka_unit_test(without_filler_or_number_there_is_nothing),
        cmocka_unit_test(less_among_fillers_makes_bounds),
        cmocka_unit_test(a_class_is_doubted_with_its_form),
        cmocka_unit_test(as_long_among_fillers_is_its_own),
        cmocka_unit_test(longer_among_fillers_is_a_bound_where_slots_are_left),
        cmocka_unit_test(unstable_fillers_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
