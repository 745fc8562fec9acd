// Throughputs of stores: which of them a model can state.
#include "check/stores.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct table_value value(double cycles, enum table_relation relation) {
    return (struct table_value){.is_known = true,
                                .cycles = cycles,
                                .low = cycles - 0.01,
                                .high = cycles + 0.01,
                                .relation = relation,
                                .verdict = MEASURED_WITHIN};
}

// A form with a throughput of a line each, and one of one address.
static struct table_row row(struct table_throughput *both, double lines, double one, enum table_relation one_relation) {
    both[0] = (struct table_throughput){.streams = 16, .value = value(lines, TABLE_EQUAL)};
    both[1] = (struct table_throughput){
        .streams = 16, .placement = PLACEMENT_SAME_ADDRESS, .value = value(one, one_relation)};
    return (struct table_row){.throughputs = both, .n_throughputs = 2, .headline = 0};
}

static double line_cycles(const struct survey_table *table) {
    struct arena arena = {0};
    double cycles = stores_line_cycles(&arena, table);
    arena_free(&arena);
    return cycles;
}

static void lines_limit_some(void **state) {
    (void)state;
    struct table_throughput narrow[2], other[2], odd[2], wide[2], changed[2], slow[2], load[1] = {{.streams = 16}};
    load[0].value = value(0.33, TABLE_EQUAL);
    const struct table_row rows[] = {
        row(narrow, 1, 0.5, TABLE_EQUAL),          // mov %rax, (mem)
        row(wide, 1.01, 1, TABLE_EQUAL),           // vmovaps %zmm0, (mem)
        row(changed, 1, 7.3, TABLE_AT_MOST),       // add %rax, (mem)
        row(slow, 2, 2, TABLE_EQUAL),              // vpcompressd %zmm0, (mem)
        {.throughputs = load, .n_throughputs = 1}, // mov (mem), %rax
        row(other, 1.01, 0.5, TABLE_EQUAL),
        row(odd, 0.57, 0.5, TABLE_EQUAL), // some lines were still in a buffer: one form decides nothing
    };
    const struct survey_table table = {.rows = rows, .n_rows = sizeof rows / sizeof *rows};
    double cycles = line_cycles(&table);
    assert_float_equal(cycles, 1, 1e-9);
    assert_true(stores_wait_for_lines(&rows[0], cycles));
    assert_true(stores_wait_for_lines(&rows[1], cycles));
    assert_true(stores_wait_for_lines(&rows[2], cycles));
    assert_false(stores_wait_for_lines(&rows[3], cycles));
    assert_false(stores_wait_for_lines(&rows[4], cycles));
    assert_ptr_equal(stores_together(&rows[0]), &narrow[1]);
    assert_ptr_equal(stores_together(&rows[1]), &wide[1]);
    assert_null(stores_together(&rows[2])); // copies wait for each other
    assert_ptr_equal(stores_together(&rows[3]), &slow[1]);
    assert_null(stores_together(&rows[4]));
}

// A core that came after Golden Cove takes two stores a cycle as neighbours in one line only.
static void neighbours_in_a_line(void **state) {
    (void)state;
    struct table_throughput all[3], loads[2];
    struct table_row rows[] = {row(all, 1, 1, TABLE_EQUAL), row(loads, 0.33, 0.5, TABLE_EQUAL)};
    all[2] = (struct table_throughput){
        .streams = 16, .placement = PLACEMENT_SAME_LINE, .is_elsewhere = true, .value = value(0.5, TABLE_EQUAL)};
    rows[0].n_throughputs = 3;
    loads[0].placement = PLACEMENT_SAME_LINE; // the usual place of loads
    loads[1].is_elsewhere = true;
    const struct survey_table table = {.rows = rows, .n_rows = 2};
    assert_ptr_equal(stores_together(&rows[0]), &all[2]);
    assert_null(stores_together(&rows[1]));
    assert_float_equal(line_cycles(&table), 1, 1e-9);
    assert_true(stores_wait_for_lines(&rows[0], 1));
    assert_false(stores_wait_for_lines(&rows[1], 1));
}

// Fillers behind each copy make it faster, so the table has them; copies alone show what lines limit.
static void lines_limit_copies_alone(void **state) {
    (void)state;
    struct table_throughput all[3];
    struct table_row rows[] = {row(all, 1.04, 0.5, TABLE_EQUAL)};
    const struct survey_table table = {.rows = rows, .n_rows = 1};
    all[0].placement = PLACEMENT_OWN_LINES;
    all[0].value.relation = TABLE_AT_MOST;
    all[2] = (struct table_throughput){
        .streams = 16, .placement = PLACEMENT_OWN_LINES, .fillers = 4, .value = value(0.67, TABLE_AT_MOST)};
    rows[0].n_throughputs = 3;
    assert_null(stores_together(&rows[0])); // a bound of copies alone says nothing by itself
    rows[0].headline = 2;
    assert_ptr_equal(stores_together(&rows[0]), &all[1]);
    assert_float_equal(line_cycles(&table), 1.04, 1e-9);
    assert_true(stores_wait_for_lines(&rows[0], 1.04));
    all[0].value.verdict = MEASURED_UNSTABLE;
    assert_null(stores_together(&rows[0]));
}

// A CPU, or a simulated one, that takes any two stores together has no such limit.
static void lines_limit_nothing(void **state) {
    (void)state;
    struct table_throughput a[2], b[2];
    const struct table_row rows[] = {row(a, 0.5, 0.5, TABLE_EQUAL), row(b, 1, 7, TABLE_AT_MOST)};
    const struct survey_table table = {.rows = rows, .n_rows = 2};
    assert_float_equal(line_cycles(&table), 0, 0);
    assert_false(stores_wait_for_lines(&rows[0], 0));
    assert_false(stores_wait_for_lines(&rows[1], 0));
}

// A loop that is slower than straight code to one address shows what its branch costs, not what lines do.
static void loops_show_no_lines(void **state) {
    (void)state;
    struct table_throughput both[2];
    const struct table_row rows[] = {row(both, 6.5, 4, TABLE_EQUAL)};
    const struct survey_table table = {.rows = rows, .n_rows = 1};
    both[0].is_looped = true;
    assert_float_equal(line_cycles(&table), 0, 0);
    both[1].is_looped = true;
    assert_float_equal(line_cycles(&table), 6.5, 1e-9);
}

// What is not to be trusted shows no limit.
static void unstable_values_show_nothing(void **state) {
    (void)state;
    struct table_throughput both[2];
    const struct table_row rows[] = {row(both, 1, 0.5, TABLE_EQUAL)};
    const struct survey_table table = {.rows = rows, .n_rows = 1};
    both[1].value.verdict = MEASURED_UNSTABLE;
    assert_null(stores_together(&rows[0]));
    assert_float_equal(line_cycles(&table), 0, 0);
    both[1].value.verdict = MEASURED_WITHIN;
    both[0].value.verdict = MEASURED_UNSTABLE;
    assert_float_equal(line_cycles(&table), 0, 0);
    both[0].value = (struct table_value){0};
    assert_float_equal(line_cycles(&table), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_limit_some),         cmocka_unit_test(neighbours_in_a_line),
        cmocka_unit_test(lines_limit_copies_alone), cmocka_unit_test(lines_limit_nothing),
        cmocka_unit_test(loops_show_no_lines),      cmocka_unit_test(unstable_values_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
