// Classes whose forms run short of registers.
#include "survey/table/few_streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N_ROWS = 4 };

struct fixture {
    struct arena arena;
    struct table_throughput throughputs[N_ROWS];
    struct table_row rows[N_ROWS];
};

// A bound, and others of its class: of as many streams, of more, and one that takes less.
static void set_up_rows(struct fixture *f) {
    static const double cycles[N_ROWS] = {0.189, 0.1885, 0.189, 0.167};
    static const unsigned streams[N_ROWS] = {12, 12, 16, 12};
    *f = (struct fixture){.arena = {0}};
    for (size_t i = 0; i < N_ROWS; i++) {
        f->throughputs[i] = (struct table_throughput){.streams = streams[i],
                                                      .value = {.is_known = true,
                                                                .cycles = cycles[i],
                                                                .low = cycles[i],
                                                                .high = cycles[i],
                                                                .verdict = MEASURED_WITHIN}};
        f->rows[i] = (struct table_row){
            .form = "ADD64ri8", .sched_class = "C", .throughputs = &f->throughputs[i], .n_throughputs = 1};
    }
    f->throughputs[0].is_short_of_streams = true;
    f->throughputs[0].value.relation = TABLE_AT_MOST;
}

static bool is_bound(struct fixture *f, size_t row) {
    few_streams_mark(&f->arena, f->rows, N_ROWS);
    const struct table_value *value = &f->rows[row].throughputs->value;
    bool is_bound = value->relation == TABLE_AT_MOST;
    if (is_bound && row)
        assert_string_equal(value->why, "fewer streams of ADD64ri8, of its class, take longer, so more may take less");
    arena_free(&f->arena);
    return is_bound;
}

static void the_class_has_the_bound(void **state) {
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++) {
        struct fixture f;
        set_up_rows(&f);
        if (is_bound(&f, i) != (i < 2))
            fail_msg("row %zu is a bound, or not", i);
    }
}

static void others_have_not(void **state) {
    (void)state;
    struct fixture f;
    set_up_rows(&f);
    f.throughputs[1].is_looped = true;
    assert_false(is_bound(&f, 1));
    set_up_rows(&f);
    f.rows[1].sched_class = "D";
    assert_false(is_bound(&f, 1));
    set_up_rows(&f);
    f.rows[1].sched_class = NULL;
    assert_false(is_bound(&f, 1));
    set_up_rows(&f);
    f.throughputs[0].value.cycles = 0.1667; // six pipes take no less
    f.throughputs[1].value.cycles = f.throughputs[1].value.low = f.throughputs[1].value.high = 0.1667;
    assert_false(is_bound(&f, 1));
    set_up_rows(&f);
    f.throughputs[0].is_short_of_streams = false; // a bound for another reason
    assert_false(is_bound(&f, 1));
}

// Where fewer streams of one form take less, its class's others of that time are bounds: of any number of streams, and
// where five pipes would give the time.
static void a_class_of_uneven_streams_has_bounds(void **state) {
    static const double cycles[N_ROWS] = {0.8, 0.801, 0.8, 0.72};
    (void)state;
    for (size_t i = 1; i < N_ROWS; i++) {
        struct fixture f;
        set_up_rows(&f);
        for (size_t k = 0; k < N_ROWS; k++)
            f.throughputs[k].value.cycles = f.throughputs[k].value.low = f.throughputs[k].value.high = cycles[k];
        f.throughputs[0].is_short_of_streams = false;
        f.throughputs[0].faster_streams = 6;
        few_streams_mark(&f.arena, f.rows, N_ROWS);
        const struct table_value *value = &f.rows[i].throughputs->value;
        assert_int_equal(value->relation, i < 3 ? TABLE_AT_MOST : TABLE_EQUAL);
        if (i < 3)
            assert_string_equal(value->why, "6 streams of ADD64ri8, of its class, take less");
        arena_free(&f.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_class_has_the_bound),
        cmocka_unit_test(others_have_not),
        cmocka_unit_test(a_class_of_uneven_streams_has_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
