// Banks and lines on invented CPUs, so that the truth is known: a Redwood Cove as it was measured, a CPU whose banks
// only disturb loads of two lines, and one without banks.
#include "parameters/experiments.h"
#include "parameters/testing.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N_LOADS = 6 };

static double loads(const char *name, unsigned width, unsigned banks, bool is_other_line, double met, double free) {
    int distance = testing_number_of(name);
    bool is_met = (unsigned)distance / width % banks == 0 && (!is_other_line || distance >= 64);
    return N_LOADS / (is_met ? met : free);
}

static bool is(const char *name, const char *prefix) {
    return text_starts(name, prefix);
}

// Stores commit in order, and two in a cycle only as neighbours of one line.
static double stores_in_order(const char *name) {
    static const struct {
        const char *name;
        double cycles;
    } times[] = {{"one-address", 4},      {"one-line", 4},           {"two-lines-in-turn", 8},
                 {"two-lines-by-two", 4}, {"two-lines-by-three", 4}, {"eight-lines", 8}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (strcmp(strchr(name, '.') + 1, times[i].name) == 0)
            return times[i].cycles;
    return 0;
}

// 16 banks of 4 bytes serve two reads each; three loads a cycle otherwise.
static double of_redwood_cove(const char *name) {
    return is(name, "loads-apart.") ? loads(name, 4, 16, false, 1.986, 3) : stores_in_order(name);
}

// 8 banks of 8 bytes serve one line each; two loads a cycle otherwise.
static double of_two_lines(const char *name) {
    return is(name, "loads-apart.") ? loads(name, 8, 8, true, 1, 2) : stores_in_order(name);
}

static double without(const char *name) {
    return is(name, "loads-apart.") ? N_LOADS / 4.0 : strstr(name, "three") ? 3 : 4;
}

static double without_lines(const char *name) { // loads of one address do not meet, and all others do
    return is(name, "loads-apart.") && testing_number_of(name) ? N_LOADS / 2.0 : N_LOADS / 3.0;
}

static double nothing(const char *name) {
    (void)name;
    return 0;
}

static struct card find(struct arena *arena, double (*cycles_of)(const char *name)) {
    struct session session = testing_session(arena);
    do {
        session.card = (struct card){.arena = arena};
        banks_find(&session);
    } while (testing_give(&session, cycles_of, NULL));
    return session.card;
}

static void assert_number(const struct card *card, const char *name, double value) {
    const struct card_entry *entry = card_find(card, name);
    if (!entry || entry->verdict == CARD_UNKNOWN || entry->low > value || entry->high < value)
        fail_msg("%s is not %.2f", name, value);
}

static void assert_unknown(const struct card *card, const char *name, const char *why) {
    const struct card_entry *entry = card_find(card, name);
    if (!entry || entry->verdict != CARD_UNKNOWN || !strstr(entry->why, why))
        fail_msg("%s is not unknown as '%s'", name, why);
}

static void banks_are_found_where_there_are_some(void **state) {
    (void)state;
    struct arena arena = {0};
    struct card card = find(&arena, of_redwood_cove);
    assert_number(&card, "load-bank-width", 4);
    assert_number(&card, "load-banks", 16);
    assert_number(&card, "load-bank-reads", 2);
    assert_number(&card, "loads-apart-64", 2);
    assert_number(&card, "loads-apart-4", 3);
    assert_string_equal(card_find(&card, "loads-apart-4096")->why, "they meet in a bank");
    card = find(&arena, of_two_lines);
    assert_number(&card, "load-bank-width", 8);
    assert_number(&card, "load-banks", 8);
    assert_number(&card, "load-bank-reads", 1);
    static const char *const names[] = {"load-bank-width", "load-banks", "load-bank-reads"};
    static const struct {
        double (*cycles_of)(const char *name);
        const char *why;
    } others[] = {{without, "none seen"}, {nothing, "invented trouble"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        card = find(&arena, others[i].cycles_of);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            assert_unknown(&card, names[k], others[i].why);
    }
    card = find(&arena, without_lines);
    assert_unknown(&card, "load-banks", "some distances are slower, but not that of one address");
    arena_free(&arena);
}

static void the_order_of_stores_matters_where_neighbours_share_a_cycle(void **state) {
    (void)state;
    struct arena arena = {0};
    struct card card = find(&arena, of_redwood_cove);
    assert_number(&card, "stores-to-one-line", 2);
    assert_number(&card, "stores-to-two-lines-in-turn", 1);
    assert_number(&card, "stores-to-two-lines-by-three", 1.5);
    assert_number(&card, "store-line-order", 2);
    assert_non_null(strstr(card_find(&card, "store-line-order")->why, "neighbours in program order"));
    card = find(&arena, without);
    assert_number(&card, "stores-to-two-lines-in-turn", 2);
    assert_number(&card, "store-line-order", 1);
    assert_string_equal(card_find(&card, "store-line-order")->why, "the order does not matter");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banks_are_found_where_there_are_some),
        cmocka_unit_test(the_order_of_stores_matters_where_neighbours_share_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
