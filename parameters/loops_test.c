// Loops and chains of jumps on invented CPUs, so that the truth is known.
#include "parameters/experiments.h"
#include "parameters/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool (*is_unstable)(const char *name); // which values noise disturbs; null: none
static int buffer;                            // instructions in the loop buffer; 0: there is not one
static int targets, code_bytes;               // branches that are remembered, and bytes of code; 0: no limit

// Six a cycle, and whole cycles for an iteration of a loop; behind the buffer five.
static double of_loops(const char *name) {
    int n = testing_number_of(name);
    bool is_fast = !buffer || n <= buffer;
    int cycles = is_fast ? (n + 1 + 5) / 6 : (n + 1 + 4) / 5;
    return (double)cycles / n;
}

static double of_jumps(const char *name) {
    int n = testing_number_of(name), distance = atoi(strchr(name, '-') + 1);
    bool is_forgotten = (targets && n > targets) || (code_bytes && n * distance > code_bytes);
    return is_forgotten ? 2 : 1;
}

static struct card_entry find(struct arena *arena, void (*experiment)(struct session *session),
                              double (*cycles_of)(const char *name), const char *name) {
    struct session session = testing_session(arena);
    do {
        session.card = (struct card){.arena = arena};
        experiment(&session);
    } while (testing_give(&session, cycles_of, is_unstable));
    const struct card_entry *entry = card_find(&session.card, name);
    assert_non_null(entry);
    return *entry;
}

static bool behind_100(const char *name) {
    return testing_number_of(name) > 100;
}

static void a_loop_buffer_is_found_where_there_is_one(void **state) {
    (void)state;
    struct arena arena = {0};
    buffer = 0;
    struct card_entry entry = find(&arena, loops_find, of_loops, "loop-buffer");
    assert_int_equal(entry.verdict, CARD_UNKNOWN);
    assert_non_null(strstr(entry.why, "no step up to 1024"));
    for (buffer = 64; buffer <= 512; buffer *= 2) {
        entry = find(&arena, loops_find, of_loops, "loop-buffer");
        assert_int_equal(entry.verdict, CARD_WITHIN);
        assert_true(entry.low <= buffer && entry.high > buffer && entry.high <= 1.1 * buffer + 2);
    }
    buffer = 128;
    is_unstable = behind_100;
    entry = find(&arena, loops_find, of_loops, "loop-nops-1");
    assert_int_equal(entry.verdict, CARD_UNKNOWN);
    assert_non_null(strstr(entry.why, "longer loops have no steady time; step seen near 128 to "));
    is_unstable = NULL;
    arena_free(&arena);
}

static void targets_are_told_from_bytes_of_code(void **state) {
    (void)state;
    struct arena arena = {0};
    targets = 2000;
    code_bytes = 0;
    struct card_entry entry = find(&arena, targets_find, of_jumps, "branches-first-level");
    assert_int_equal(entry.verdict, CARD_WITHIN);
    assert_true(entry.low <= 2000 && entry.high > 2000 && entry.high <= 2048);
    targets = 0;
    entry = find(&arena, targets_find, of_jumps, "branches-first-level");
    assert_int_equal(entry.verdict, CARD_UNKNOWN); // nothing rises
    code_bytes = 24 << 10;
    entry = find(&arena, targets_find, of_jumps, "branches-first-level");
    assert_int_equal(entry.verdict, CARD_UNKNOWN);
    assert_non_null(strstr(entry.why, "no two distances agree"));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_buffer_is_found_where_there_is_one),
        cmocka_unit_test(targets_are_told_from_bytes_of_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
