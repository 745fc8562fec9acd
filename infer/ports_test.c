// Random CPUs whose ports are known: what is measured on them, under noise, must give their ports back. A sample here;
// CYCLOPS_PORTS_CPUS=N tries N of each kind (scripts/study-ports).
#include "infer/testing_ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROUNDS = 6 };

static unsigned n_cpus(unsigned sample) {
    const char *wanted = getenv("CYCLOPS_PORTS_CPUS");
    return wanted ? (unsigned)strtoul(wanted, NULL, 10) : sample;
}

// Measures, infers, and measures what would decide most, while there is something.
static struct testing_score close_loop(unsigned seed, enum testing_kind kind, bool few) {
    struct arena arena = {0};
    struct testing_cpu cpu;
    struct evidence evidence = {.arena = &arena};
    struct ports_options options = ports_defaults;
    struct ports ports;
    double noise = 0.002 + 0.008 * (seed * 7 % 11) / 10;
    options.steps = 4e7;
    testing_cpu_make(&arena, &cpu, seed, 6 + seed * 5 % 12, noise, kind);
    testing_cpu_measure(&cpu, few, &evidence);
    for (unsigned round = 0;; round++) {
        ports_infer(&arena, &evidence, &options, &ports);
        if (ports.n_next == 0 || round == MOST_ROUNDS)
            break;
        for (size_t i = 0; i < ports.n_next; i++)
            testing_cpu_try(&cpu, &evidence, ports.next[i].terms, ports.next[i].n_terms);
    }
    struct testing_score score = testing_cpu_compare(&cpu, &ports);
    printf("%2u ports, dispatch %g, noise %.2f %%, %zu experiments: %u forms, right %u, certain %u, certain but wrong "
           "%u; multisets off by %.2f %%\n",
           cpu.map.n_ports, cpu.map.width, 100 * noise, evidence.n_items, score.n_forms, score.n_right, score.n_certain,
           score.n_certain_wrong, 100 * score.error);
    arena_free(&arena);
    return score;
}

static struct testing_score close_loops(unsigned first, unsigned n, enum testing_kind kind, bool few) {
    struct testing_score all = {0};
    for (unsigned seed = first; seed < first + n; seed++) {
        struct testing_score score = close_loop(seed, kind, few);
        all.n_forms += score.n_forms;
        all.n_right += score.n_right;
        all.n_certain += score.n_certain;
        all.n_certain_wrong += score.n_certain_wrong;
        all.error += score.error;
    }
    all.error /= n;
    printf("all: %u forms, right %.2f %%, certain %.1f %%, certain but wrong %u; multisets off by %.2f %%\n",
           all.n_forms, 100.0 * all.n_right / all.n_forms, 100.0 * all.n_certain / all.n_forms, all.n_certain_wrong,
           100 * all.error);
    return all;
}

static void gives_ports_back(void **state) {
    (void)state;
    struct testing_score all = close_loops(10, n_cpus(4), TESTING_VISIBLE, false);
    assert_true(all.n_right >= 0.98 * all.n_forms);
    assert_true(all.n_certain >= 0.5 * all.n_forms);
    assert_true(all.error < 0.01);
    assert_int_equal(all.n_certain_wrong, 0);
}

// Of each set, one form stands for the others: all are measured beside these few only.
static void needs_few_pairs(void **state) {
    (void)state;
    struct testing_score all = close_loops(10, n_cpus(4), TESTING_VISIBLE, true);
    assert_true(all.n_right >= 0.98 * all.n_forms);
    assert_int_equal(all.n_certain_wrong, 0);
}

// Sets that dispatch hides: much cannot be known there, and is not said to be.
static void is_never_certain_of_what_is_wrong(void **state) {
    (void)state;
    struct testing_score all = close_loops(10, n_cpus(3), TESTING_ANY, false);
    assert_int_equal(all.n_certain_wrong, 0);
}

// A uop on a set that no one-uop form has is outside of what is tried: it can go unseen.
static void is_seldom_certain_without_bases(void **state) {
    (void)state;
    struct testing_score all = close_loops(10, n_cpus(4), TESTING_HIDDEN, false);
    assert_int_equal(all.n_certain_wrong, 0);
}

struct row {
    const char *forms[3];
    unsigned counts[3];
    double cycles;
};

static void add_rows(struct evidence *evidence, const struct row *rows, size_t n) {
    for (size_t r = 0; r < n; r++) {
        struct evidence_term terms[3];
        unsigned n_terms = 0;
        for (; n_terms < 3 && rows[r].forms[n_terms]; n_terms++)
            terms[n_terms] =
                (struct evidence_term){evidence_form(evidence, rows[r].forms[n_terms]), rows[r].counts[n_terms]};
        evidence_add(evidence, terms, n_terms, rows[r].cycles, rows[r].cycles * 0.998, rows[r].cycles * 1.002, "row",
                     "");
    }
}

// Three sets of two ports, each sharing one with each other: on three ports, or all with one port in common. Pairs do
// not tell; the three together do.
static const struct row ring[] = {
    {{"a"}, {1}, 0.5},
    {{"b"}, {1}, 0.5},
    {{"c"}, {1}, 0.5},
    {{"nop"}, {1}, 0.125},
    {{"a", "nop"}, {1, 4}, 0.625},
    {{"b", "nop"}, {1, 4}, 0.625},
    {{"c", "nop"}, {1, 4}, 0.625},
    {{"a", "b"}, {2, 2}, 4.0 / 3},
    {{"a", "c"}, {2, 2}, 4.0 / 3},
    {{"b", "c"}, {2, 2}, 4.0 / 3},
    {{"a", "b", "c"}, {2, 2, 2}, 2},
};

static void asks_for_what_decides(void **state) {
    (void)state;
    struct arena arena = {0};
    struct evidence evidence = {.arena = &arena};
    struct ports ports;
    size_t n = sizeof ring / sizeof *ring;
    add_rows(&evidence, ring, n - 1);
    ports_infer(&arena, &evidence, &ports_defaults, &ports);
    assert_int_equal(ports.n_clusters, 1);
    assert_int_equal(ports.clusters[0].n_families, 2);
    assert_int_equal(ports.forms[evidence_form(&evidence, "a")].state, PORTS_AMBIGUOUS);
    assert_int_equal(ports.forms[evidence_form(&evidence, "nop")].state, PORTS_DISPATCH);
    assert_true(ports.n_next > 0);
    assert_int_equal(ports.next[0].n_terms, 3);
    add_rows(&evidence, ring + n - 1, 1);
    ports_infer(&arena, &evidence, &ports_defaults, &ports);
    assert_int_equal(ports.clusters[0].n_families, 1);
    assert_int_equal(ports.map.n_ports, 3);
    assert_int_equal(ports.forms[evidence_form(&evidence, "a")].state, PORTS_CERTAIN);
    arena_free(&arena);
}

// What takes longer together than one after the other is set apart: no port set changes for it.
static void sets_conflicts_apart(void **state) {
    (void)state;
    static const struct row rows[] = {
        {{"a"}, {1}, 0.5}, {{"b"}, {1}, 0.5}, {{"a", "b"}, {1, 1}, 0.5}, {{"a", "b"}, {2, 2}, 2.6}};
    struct arena arena = {0};
    struct evidence evidence = {.arena = &arena};
    struct ports ports;
    add_rows(&evidence, rows, 4);
    ports_infer(&arena, &evidence, &ports_defaults, &ports);
    assert_int_equal(ports.n_conflicts, 1);
    assert_int_equal(ports.conflicts[0], 3);
    assert_int_equal(ports.map.n_ports, 4);
    arena_free(&arena);
}

// Of one multiset in several orders, the shortest shows the ports.
static void takes_the_shortest_order(void **state) {
    (void)state;
    static const struct row rows[] = {
        {{"a"}, {1}, 0.5}, {{"b"}, {1}, 0.5}, {{"a", "b"}, {2, 2}, 4.0 / 3}, {{"b", "a"}, {2, 2}, 1}};
    struct arena arena = {0};
    struct evidence evidence = {.arena = &arena};
    struct ports ports;
    add_rows(&evidence, rows, 4);
    ports_infer(&arena, &evidence, &ports_defaults, &ports);
    assert_int_equal(ports.n_slower, 1);
    assert_int_equal(ports.slower[0], 2);
    assert_int_equal(ports.map.n_ports, 4);
    arena_free(&arena);
}

// What holds all ports of a wider one has several uops. It stands for no port, and makes no map doubtful.
static void sees_several_uops(void **state) {
    (void)state;
    static const struct row rows[] = {
        {{"nop"}, {1}, 0.125}, {{"a"}, {1}, 1}, {{"b"}, {1}, 0.5}, {{"a", "b"}, {1, 2}, 2}, {{"a", "b"}, {2, 2}, 3}};
    struct arena arena = {0};
    struct evidence evidence = {.arena = &arena};
    struct ports ports;
    add_rows(&evidence, rows, sizeof rows / sizeof *rows);
    ports_infer(&arena, &evidence, &ports_measured, &ports);
    assert_false(ports.forms[evidence_form(&evidence, "a")].is_base);
    assert_int_equal(ports.map.recipes[evidence_form(&evidence, "a")].n, 2);
    assert_int_equal(ports.map.n_ports, 2);
    assert_int_equal(ports.clusters[0].strained, 0);
    arena_free(&arena);
}

// A pair that takes 1.2 in place of 1 stalls: with a port in common it would take 1.33. So its map is sure all the
// same.
static void is_sure_of_what_stalls(void **state) {
    (void)state;
    static const struct row rows[] = {
        {{"nop"}, {1}, 0.125}, {{"a"}, {1}, 0.5}, {{"b"}, {1}, 0.5}, {{"a", "b"}, {2, 2}, 1.2}};
    struct arena arena = {0};
    struct evidence evidence = {.arena = &arena};
    struct ports ports;
    add_rows(&evidence, rows, sizeof rows / sizeof *rows);
    ports_infer(&arena, &evidence, &ports_measured, &ports);
    assert_int_equal(ports.n_clusters, 2);
    assert_int_equal(ports.clusters[0].strained | ports.clusters[1].strained, 0);
    arena_free(&arena);
}

// Times alone leave open what is shared.
static void is_not_certain_without_pairs(void **state) {
    (void)state;
    static const struct row rows[] = {
        {{"a"}, {1}, 1}, {{"b"}, {1}, 0.5}, {{"c"}, {1}, 1}, {{"d"}, {1}, 2}, {{"e"}, {1}, 0.25}, {{"f"}, {1}, 1},
    };
    for (size_t n = 1; n <= sizeof rows / sizeof *rows; n++) {
        struct arena arena = {0};
        struct evidence evidence = {.arena = &arena};
        struct ports ports;
        add_rows(&evidence, rows, n);
        ports_infer(&arena, &evidence, &ports_defaults, &ports);
        for (size_t f = 0; f < evidence.n_forms; f++)
            assert_true(ports.forms[f].state != PORTS_CERTAIN);
        arena_free(&arena);
    }
}

static void repeats_exactly(void **state) {
    (void)state;
    struct arena arena = {0};
    struct testing_cpu cpu;
    struct evidence evidence = {.arena = &arena};
    struct ports one, other;
    testing_cpu_make(&arena, &cpu, 12, 8, 0.005, TESTING_VISIBLE);
    testing_cpu_measure(&cpu, false, &evidence);
    ports_infer(&arena, &evidence, &ports_defaults, &one);
    ports_infer(&arena, &evidence, &ports_defaults, &other);
    for (size_t f = 0; f < evidence.n_forms; f++) {
        assert_int_equal(one.forms[f].state, other.forms[f].state);
        assert_string_equal(port_recipe_text(&arena, &one.map.recipes[f]),
                            port_recipe_text(&arena, &other.map.recipes[f]));
    }
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_ports_back),
        cmocka_unit_test(needs_few_pairs),
        cmocka_unit_test(is_never_certain_of_what_is_wrong),
        cmocka_unit_test(is_seldom_certain_without_bases),
        cmocka_unit_test(asks_for_what_decides),
        cmocka_unit_test(sets_conflicts_apart),
        cmocka_unit_test(takes_the_shortest_order),
        cmocka_unit_test(sees_several_uops),
        cmocka_unit_test(is_sure_of_what_stalls),
        cmocka_unit_test(is_not_certain_without_pairs),
        cmocka_unit_test(repeats_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
