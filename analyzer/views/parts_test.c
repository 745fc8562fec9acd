// What the views are made of: columns, tallies, levels, and the search for the most expensive chain.
#include "analyzer/views/columns.h"
#include "analyzer/views/critical_sequence.h"
#include "analyzer/views/tally.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void pads_as_llvm_does(void **state) {
    (void)state;
    char *text;
    size_t length;
    struct columns line = {.out = open_memstream(&text, &length)};
    columns_add(&line, "ab");
    columns_pad(&line, 4);
    columns_addf(&line, "%s", "toolong");
    columns_pad(&line, 8); // one blank, though the column is behind
    columns_add(&line, "x\n");
    assert_int_equal(line.column, 0);
    columns_add(&line, "µs\t"); // two columns, then on to 8
    assert_int_equal(line.column, 8);
    columns_add(&line, "\t"); // on a multiple of 8 already
    assert_int_equal(line.column, 8);
    fclose(line.out);
    assert_string_equal(text, "ab  toolong x\nµs\t\t");
    free(text);
}

static void rounds_half_away_from_zero(void **state) {
    (void)state;
    assert_true(columns_rounded(0.125, 100) == 0.13); // printf: 0.12
    assert_true(columns_rounded(2.25, 10) == 2.3);
    assert_true(columns_rounded(2.2499, 10) == 2.2);
    assert_true(columns_rounded(0, 10) == 0);
}

static void number_is_printfs(double value) {
    char *text, wanted[1024];
    size_t length;
    struct columns line = {.out = open_memstream(&text, &length)};
    columns_add_tenths(&line, value);
    columns_add(&line, "|");
    columns_add_hundredths(&line, value);
    fclose(line.out);
    assert_int_equal(snprintf(wanted, sizeof wanted, "%.1f|%.2f", value, value), line.column);
    assert_string_equal(text, wanted);
    free(text);
}

static void writes_numbers_as_printf_does(void **state) {
    (void)state;
    static const double some[] = {0,     0.05,  0.125, 0.375, 0.995, 0.25, 0.35,      1.005,   2.675, 1e9 - 0.5,
                                  1e300, -0.25, -1,    0.045, 99.95, 9.95, 1.0 / 0.0, 1e7 / 3, 0.15,  0.85};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        number_is_printfs(some[i]);
    for (unsigned n = 0; n < 4000; n++) { // all ties of hundredths, and their neighbours
        number_is_printfs(n / 200.0);
        number_is_printfs(nextafter(n / 200.0, 0));
        number_is_printfs(nextafter(n / 200.0, 1e9));
        number_is_printfs(n / 7.0);
    }

    char *text;
    size_t length;
    struct columns line = {.out = open_memstream(&text, &length)};
    columns_add_count(&line, 7, 3);
    columns_add_count(&line, 12345, 3);
    columns_add_count(&line, 0, 0);
    columns_add_count(&line, UINT64_MAX, 0);
    fclose(line.out);
    assert_string_equal(text, "7  12345018446744073709551615");
    free(text);
}

static void repeats_what_came_since_the_mark(void **state) {
    (void)state;
    struct arena arena = {0};
    struct tally tally = {.arena = &arena};
    tally_mark(&tally); // of nothing
    tally_add(&tally, 3, 5);
    tally_mark(&tally);
    tally_add(&tally, 3, 2);
    tally_add(&tally, 40, 7); // grows
    tally_repeat(&tally, 10);
    assert_int_equal(tally_get(&tally, 3), 5 + 2 + 20);
    assert_int_equal(tally_get(&tally, 40), 7 + 70);
    assert_int_equal(tally_get(&tally, 0), 0);
    assert_int_equal(tally_get(&tally, 4000), 0);
    assert_int_equal(tally_sum(&tally), 27 + 77);

    struct level level = {.now = 2};
    level_end_cycle(&level);
    level_mark(&level);
    level.now = 5;
    level_end_cycle(&level);
    level.now = 2;
    level_repeat(&level, 3);
    assert_int_equal(level.highest, 5);
    assert_int_equal(level.sum, 2 + 5 + 15);
    arena_free(&arena);
}

// Two instructions: the second waits for the first in every iteration, the first for the second of the one before. The
// chain is that through all copies; a pipe in the way in one of 100 iterations does not count, however much it costs.
static void finds_the_most_expensive_chain(void **state) {
    (void)state;
    struct arena arena = {0};
    struct critical_graph graph;
    size_t n_edges;
    critical_graph_init(&graph, 2, &arena);
    critical_graph_add(&graph, CRITICAL_RESOURCE, 0, 0, 8, 100000);
    for (unsigned i = 0; i < 10; i++) {
        if (i == 9)
            critical_graph_mark(&graph);
        critical_graph_add(&graph, CRITICAL_REGISTER, 0, 1, 5, 3);
        critical_graph_add(&graph, CRITICAL_MEMORY, 1, 0, 0, 4);
    }
    critical_graph_repeat(&graph, 90);
    critical_graph_finish(&graph, 100);
    const struct critical_edge **edges = critical_graph_sequence(&graph, &arena, &n_edges);
    assert_int_equal(n_edges, 3);
    assert_int_equal(edges[0]->kind, CRITICAL_MEMORY);
    assert_int_equal(edges[1]->kind, CRITICAL_REGISTER);
    assert_int_equal(edges[1]->from % 2, 0);
    assert_int_equal(edges[1]->frequency, 100);
    assert_int_equal(edges[1]->cost, 300);
    assert_int_equal(edges[2]->to % 2, 0);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pads_as_llvm_does),
        cmocka_unit_test(rounds_half_away_from_zero),
        cmocka_unit_test(writes_numbers_as_printf_does),
        cmocka_unit_test(repeats_what_came_since_the_mark),
        cmocka_unit_test(finds_the_most_expensive_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
