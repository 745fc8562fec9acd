// Renaming on invented CPUs, so that the truth is known: a Redwood Cove as it was measured, and a CPU that executes
// all.
#include "parameters/experiments.h"
#include "parameters/testing.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MULTIPLY = 3, LOAD = 5, RANGE = 1023, DISTANCE = 12, PAIRS = 300 };

static bool is(const char *name, const char *prefix) {
    return text_starts(name, prefix);
}

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

// A chain of multiplies with a store, other stores, and a load: memory.same-N and memory.upper-N.
static double of_chain(const char *name, double pair) {
    return MULTIPLY * (3 + atoi(strrchr(name, '-') + 1)) + pair;
}

static double of_redwood_cove(const char *name) {
    static const char *const not_renamed[] = {
        "memory.32-to-32-signed", "memory.16-to-16", "memory.indexed",        "memory.add-register-to",
        "memory.load-operate",    "memory.cmov",     "memory.constant-to-32", NULL};
    static const char *const logic[] = {"flags.test-cmov", "flags.and-cmov", "flags.or-cmov",
                                        "flags.xor-cmov",  "flags.test-set", NULL};
    if (is(name, "constant.range-"))
        return atoi(name + strlen("constant.range-")) <= RANGE ? 0.35 : 2;
    if (is(name, "constant.then-"))
        return strstr(name, "shl") || strstr(name, "rol") ? 3 : strstr(name, "load") ? LOAD : 1;
    if (is(name, "constant.without-"))
        return strstr(name, "load") ? LOAD : 1;
    if (is(name, "constant."))
        return strstr(name, "16") ? 1 : 0.17;
    if (strcmp(name, "load-latency") == 0)
        return LOAD;
    if (strcmp(name, "memory.multiply") == 0)
        return MULTIPLY;
    if (is(name, "memory.same-"))
        return of_chain(name, atoi(name + strlen("memory.same-")) <= DISTANCE ? 0.002 : LOAD);
    if (is(name, "memory.upper-"))
        return of_chain(name, LOAD);
    if (is(name, "memory-renamed-pairs."))
        return testing_number_of(name) <= PAIRS ? 1 : 7.4;
    if (is(name, "memory."))
        return is_one_of(name, not_renamed) ? 7.37 : 1;
    if (is(name, "flags."))
        return is_one_of(name, logic) ? 1.835 : 1;
    return 0;
}

static double executes_all(const char *name) {
    if (is(name, "constant.range-"))
        return 2;
    if (is(name, "constant.then-"))
        return strstr(name, "load") ? LOAD + 1 : 2;
    if (strcmp(name, "load-latency") == 0 || strstr(name, "without-load"))
        return LOAD;
    if (strcmp(name, "memory.multiply") == 0)
        return MULTIPLY;
    if (is(name, "memory.same-") || is(name, "memory.upper-"))
        return of_chain(name, LOAD);
    return is(name, "memory") ? 7 : 1;
}

static double all_sizes(const char *name) {
    return is(name, "constant.range-") ? 0.35 : is(name, "memory-renamed-pairs.") ? 1 : of_redwood_cove(name);
}

static double with_a_gap(const char *name) {
    return strcmp(name, "memory.same-2") == 0       ? of_chain(name, LOAD)
           : strcmp(name, "constant.range-16") == 0 ? 2
                                                    : of_redwood_cove(name);
}

static struct card find(struct arena *arena, double (*cycles_of)(const char *name)) {
    struct session session = testing_session(arena);
    do {
        session.card = (struct card){.arena = arena};
        renaming_find(&session);
    } while (testing_give(&session, cycles_of, NULL));
    return session.card;
}

static void assert_number(const struct card *card, const char *name, double value, const char *why) {
    const struct card_entry *entry = card_find(card, name);
    if (!entry || entry->verdict == CARD_UNKNOWN || entry->low > value || entry->high < value ||
        (why && strcmp(entry->why, why) != 0))
        fail_msg("%s is not %.2f, %s", name, value, why ? why : "");
}

static void assert_unknown(const struct card *card, const char *name, const char *why) {
    const struct card_entry *entry = card_find(card, name);
    if (!entry || entry->verdict != CARD_UNKNOWN || !strstr(entry->why, why))
        fail_msg("%s is not unknown as '%s'", name, why);
}

static void constants_at_rename_have_a_range_and_consumers_that_wait(void **state) {
    (void)state;
    struct arena arena = {0};
    struct card card = find(&arena, of_redwood_cove);
    assert_number(&card, "constant-lea", 0.17, "added at rename");
    assert_number(&card, "constant-add-16", 1, "executed: each waits for the one before it");
    assert_number(&card, "constant-range", RANGE, NULL);
    assert_number(&card, "constant-then-shl", 2, "waits longer than for an addition");
    assert_number(&card, "constant-then-xor", 0, "the addition takes no time");
    assert_number(&card, "constant-then-load", 0, "the addition takes no time");
    card = find(&arena, executes_all);
    assert_number(&card, "constant-lea", 1, "executed: each waits for the one before it");
    assert_unknown(&card, "constant-range", "no constant is added at rename");
    assert_number(&card, "constant-then-shl", 1, "the addition takes its cycle");
    card = find(&arena, all_sizes);
    assert_int_equal(card_find(&card, "constant-range")->verdict, CARD_AT_LEAST);
    card = find(&arena, with_a_gap);
    assert_unknown(&card, "constant-range", "take no time again");
    arena_free(&arena);
}

static void memory_is_renamed_by_form_distance_and_number(void **state) {
    (void)state;
    struct arena arena = {0};
    struct card card = find(&arena, of_redwood_cove);
    assert_number(&card, "memory-64-to-64", 1, "renamed");
    assert_number(&card, "memory-other-base", 1, "renamed");
    assert_number(&card, "memory-indexed", 7.37, "not renamed");
    assert_number(&card, "memory-add-constant-to", 1, "renamed");
    assert_number(&card, "memory-add-register-to", 7.37, "not renamed");
    assert_number(&card, "memory-renamed-latency", 0.002, NULL);
    assert_number(&card, "memory-forwarded-latency", LOAD, NULL);
    assert_number(&card, "memory-renamed-distance", DISTANCE, NULL);
    assert_number(&card, "memory-renamed-pairs", PAIRS, NULL);
    assert_true(card_find(&card, "memory-renamed-pairs")->high < 1.1 * PAIRS);
    card = find(&arena, executes_all);
    assert_number(&card, "memory-64-to-64", 7, "not renamed");
    assert_unknown(&card, "memory-renamed-latency", "memory is not renamed");
    assert_number(&card, "memory-forwarded-latency", LOAD, NULL);
    assert_unknown(&card, "memory-renamed-distance", "memory is not renamed");
    assert_unknown(&card, "memory-renamed-pairs", "memory is not renamed");
    card = find(&arena, all_sizes);
    assert_int_equal(card_find(&card, "memory-renamed-pairs")->verdict, CARD_AT_LEAST);
    card = find(&arena, with_a_gap);
    assert_unknown(&card, "memory-renamed-distance", "renamed again");
    arena_free(&arena);
}

static void flags_of_logic_operations_wait_or_not(void **state) {
    (void)state;
    struct arena arena = {0};
    struct card card = find(&arena, of_redwood_cove);
    assert_number(&card, "flags-wait-test-cmov", 0.835, "waits longer");
    assert_number(&card, "flags-wait-test-set", 0.835, "waits longer");
    assert_number(&card, "flags-wait-sub-cmov", 0, "no wait");
    card = find(&arena, executes_all);
    assert_number(&card, "flags-wait-test-cmov", 0, "no wait");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_at_rename_have_a_range_and_consumers_that_wait),
        cmocka_unit_test(memory_is_renamed_by_form_distance_and_number),
        cmocka_unit_test(flags_of_logic_operations_wait_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
