// Sweeps on invented times, so that the truth is known.
#include "parameters/sweep.h"

#include "base/text.h"
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

static bool is_asked_again(const struct session *session, int copies) {
    for (size_t i = 0; i < session->n_items; i++)
        if (testing_number_of(session->items[i].trial.name) == copies)
            return session->items[i].is_doubtful;
    return false;
}

static struct step find(struct arena *arena, double (*cycles_of)(const char *name)) {
    static const int grid[] = {256, 512, 1024, 2048, 4096, 8192, 16384};
    const struct sweep sweep = {
        .name = "s", .body = "nop\n", .units = 1, .grid = grid, .n_grid = 7, .n_base = 3, .rise = 1.2};
    struct session session = testing_session(arena);
    struct step step;
    do {
        session.card = (struct card){.arena = arena};
        step = sweep_find(&session, &sweep);
    } while (testing_give(&session, cycles_of, is_unstable));
    assert_true(step.is_known);
    assert_int_equal(session.card.n_curves, 1);
    for (int i = 0; i < 3; i++) // all else depends on the base
        assert_true(is_asked_again(&session, grid[i]));
    return step;
}

static double steps_at_6912(const char *name) {
    return testing_number_of(name) <= 6912 ? 1 : 1.5;
}

static double never_steps(const char *name) {
    (void)name;
    return 1;
}

static double cannot_run(const char *name) {
    (void)name;
    return 0;
}

static double has_an_outlier(const char *name) {
    return testing_number_of(name) == 1024 ? 3 : steps_at_6912(name);
}

static double cannot_run_large(const char *name) {
    return testing_number_of(name) > 8192 ? 0 : 1;
}

static void a_step_is_found_within_a_hundredth(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct step step = find(&arena, steps_at_6912);
    assert_null(step.why);
    assert_false(step.is_beyond);
    assert_in_range(step.low, 6800, 6912);
    assert_in_range(step.high, 6913, 7000);
    arena_free(&arena);
}

static void what_is_no_step_is_not_reported_as_one(void **state) {
    (void)state;
    struct arena arena = {0};
    struct step step = find(&arena, never_steps);
    assert_null(step.why);
    assert_true(step.is_beyond);
    assert_int_equal(step.low, 16384);
    step = find(&arena, has_an_outlier);
    assert_true(step.why || (step.low <= 6912 && step.high > 6912));
    step = find(&arena, cannot_run_large);
    assert_non_null(step.why);
    arena_free(&arena);
}

// Noise lifts the whole base.
static double begins_slowly(const char *name) {
    return testing_number_of(name) <= 1024 ? 1.3 : steps_at_6912(name);
}

static bool is_at_begin(const char *name) {
    return testing_number_of(name) <= 1024;
}

// Noise lifts a part of the base.
static double begins_with_an_outlier(const char *name) {
    return testing_number_of(name) <= 512 ? 1.3 : steps_at_6912(name);
}

static bool is_outlier_at_begin(const char *name) {
    return testing_number_of(name) <= 512;
}

// Noise lifts all points in front of the step.
static double rises_early(const char *name) {
    return testing_number_of(name) > 4096 && testing_number_of(name) <= 6912 ? 1.4 : steps_at_6912(name);
}

static bool is_before_step(const char *name) {
    return testing_number_of(name) > 4096 && testing_number_of(name) <= 6912;
}

static bool is_behind_step(const char *name) {
    return testing_number_of(name) > 6912;
}

static void unstable_points_do_not_move_a_step(void **state) {
    (void)state;
    struct arena arena = {0};
    is_unstable = is_at_begin;
    struct step step = find(&arena, begins_slowly);
    assert_non_null(step.why);
    assert_false(step.is_beyond);
    is_unstable = is_outlier_at_begin;
    step = find(&arena, begins_with_an_outlier);
    assert_true(step.base == 1);
    assert_false(step.is_beyond);
    assert_true(step.why || (step.low <= 6912 && step.high > 6912));
    is_unstable = is_before_step;
    step = find(&arena, rises_early);
    assert_null(step.why);
    assert_false(step.is_beyond);
    assert_true(step.low <= 6912 && step.high > 6912);
    // Where nothing behind the step is steady, there is no upper end, but a lower one.
    is_unstable = is_behind_step;
    step = find(&arena, steps_at_6912);
    assert_non_null(strstr(step.why, "more have no steady time; step seen near 6"));
    assert_in_range(step.low, 6800, 6912);
    assert_int_equal(step.high, 0);
    is_unstable = NULL;
    arena_free(&arena);
}

// The front end's trials, with values that cannot be measured.
static struct session find_frontend(struct arena *arena) {
    struct session session = testing_session(arena);
    do {
        session.card = (struct card){.arena = arena};
        frontend_find(&session);
    } while (testing_give(&session, cannot_run, NULL));
    return session;
}

// All jumps must reach by one byte: else an assembler takes three bytes more for them.
static void every_copy_of_the_alignment_has_three_lines(void **state) {
    (void)state;
    enum { JUMP = 2, NOP = 4, REACH = 127, LINE = 64 };
    struct arena arena = {0};
    struct session session = find_frontend(&arena);
    unsigned n = 0;
    for (size_t i = 0; i < session.n_items; i++) {
        const struct timing *trial = &session.items[i].trial;
        int bytes = 0, offset = 0;
        if (!text_starts(trial->name, "alignment."))
            continue;
        for (const char *c = trial->body; (c = strstr(c, "jmp ")); c++)
            bytes += JUMP;
        for (const char *c = trial->body; (c = strstr(c, "nop ")); c++)
            bytes += NOP;
        for (const char *c = trial->body; (c = strstr(c, ".skip ")); c++) {
            int skipped = atoi(c + strlen(".skip "));
            assert_in_range(skipped, 0, REACH);
            bytes += skipped;
            offset = offset ? offset : JUMP + skipped;
        }
        assert_int_equal(bytes, 3 * LINE);
        assert_int_equal(offset, LINE + testing_number_of(trial->name));
        n++;
    }
    assert_int_equal(n, 9);
    arena_free(&arena);
}

static void what_cannot_be_measured_has_an_entry(void **state) {
    (void)state;
    static const char *const names[] = {"taken-8-apart", "branches-fast-16-apart", "branches-remembered-64-apart",
                                        "alignment-60", "code-nops-1"};
    struct arena arena = {0};
    struct session session = find_frontend(&arena);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct card_entry *entry = card_find(&session.card, names[i]);
        assert_non_null(entry);
        assert_int_equal(entry->verdict, CARD_UNKNOWN);
        assert_string_equal(entry->why, "invented trouble");
    }
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_found_within_a_hundredth),
        cmocka_unit_test(what_is_no_step_is_not_reported_as_one),
        cmocka_unit_test(unstable_points_do_not_move_a_step),
        cmocka_unit_test(every_copy_of_the_alignment_has_three_lines),
        cmocka_unit_test(what_cannot_be_measured_has_an_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
