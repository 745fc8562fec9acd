// Verdicts of a card's numbers.
#include "parameters/card.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_number_is_exact_where_one_whole_number_fits(void **state) {
    (void)state;
    static const struct {
        unsigned source;
        double value, low, high, tolerance;
        enum card_verdict verdict;
    } cases[] = {
        {__LINE__, 6, 6, 6, 0, CARD_EXACT},
        {__LINE__, 5.98, 5.95, 6.01, 0.02, CARD_EXACT},
        {__LINE__, 5.7, 5.6, 5.8, 0.02, CARD_WITHIN},
        {__LINE__, 6, 5, 7, 0.02, CARD_WITHIN},
        {__LINE__, 63.45, 63.2, 63.5, 0.03, CARD_WITHIN},
        {__LINE__, 4.92, 4.91, 4.93, 0.008, CARD_WITHIN},
        {__LINE__, 196, 195, 197, 0, CARD_WITHIN},
        {__LINE__, 0.25, 0.25, 0.25, 0.02, CARD_WITHIN},
    };
    struct arena arena = {0};
    struct card card = {.arena = &arena};
    const struct card_entry head = {.name = "x", .unit = "cycles"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        card_add_number(&card, &head, cases[i].value, cases[i].low, cases[i].high, cases[i].tolerance);
        if (card.entries[i].verdict != cases[i].verdict)
            fail_msg("line %u: %s", cases[i].source, card_verdict_name(card.entries[i].verdict));
        assert_true(card.entries[i].low <= card.entries[i].value && card.entries[i].value <= card.entries[i].high);
    }
    arena_free(&arena);
}

static void the_others_keep_their_reason(void **state) {
    (void)state;
    struct arena arena = {0};
    struct card card = {.arena = &arena};
    card_add_unknown(&card, &(struct card_entry){.name = "a"}, "no step");
    card_add_at_least(&card, &(struct card_entry){.name = "b"}, 62, "the reorder buffer is full first");
    assert_int_equal(card_find(&card, "a")->verdict, CARD_UNKNOWN);
    assert_string_equal(card_find(&card, "a")->why, "no step");
    assert_int_equal(card_find(&card, "b")->verdict, CARD_AT_LEAST);
    assert_true(card_find(&card, "b")->low == 62);
    assert_null(card_find(&card, "c"));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_exact_where_one_whole_number_fits),
        cmocka_unit_test(the_others_keep_their_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
