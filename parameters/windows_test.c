// Windows on an invented CPU, so that the truth is known.
#include "parameters/experiments.h"
#include "parameters/testing.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool (*is_unstable)(const char *name); // which values noise disturbs; null: none

// A CPU with so many entries, in which fillers of a kind take a share, and register files.
static struct {
    int entries, registers, vectors;
    bool shares;
    int width; // of dispatch; 0: cannot be measured
    enum { NONE, CONSTANTS, ALL } adds_at_rename;
    int waiting; // entries of the scheduler; 0: as many as all
} cpu;

// The instructions of a trial of a width, by its name.
static int instructions_of(const char *name) {
    int n = 0;
    if (!text_starts(name, "width.mix"))
        return RECIPE_REGISTERS;
    for (const char *c = strstr(name, "-"); c; c = strstr(c + 1, "-"))
        n += atoi(strchr(c, '.') + 1);
    return n;
}

// A neighbour takes half of every buffer, while these are measured; null: never.
static bool (*has_neighbour)(const char *name);

static bool is_shared_with_neighbour(const char *name) {
    return has_neighbour && has_neighbour(name);
}

static double of_cpu(const char *name) {
    int n = testing_number_of(name);
    struct {
        const char *kind;
        int limit;
    } kinds[] = {
        {"window.nop.", cpu.shares ? 4 * cpu.entries : cpu.entries},
        {"window.zero-and-nop.", cpu.shares ? 2 * cpu.entries : cpu.entries},
        {"window.integer.", cpu.adds_at_rename ? cpu.entries : cpu.registers}, // an add at rename shares a register
        {"window.integer-2.", cpu.registers},
        {"window.integer-waits.", cpu.adds_at_rename || !cpu.waiting ? cpu.registers : cpu.waiting},
        {"window.integer-waits-2.", cpu.waiting ? cpu.waiting : cpu.registers},
        {"window.vector.", cpu.vectors},
        {"window.compare-and-integer.", cpu.registers},
        {"window.mixed.", cpu.shares ? cpu.entries * 5 / 4 : cpu.entries},
        {"window.", cpu.entries},
    };
    if (text_starts(name, "window.together"))
        return 500;
    if (text_starts(name, "window.in-turn"))
        return 1000;
    if (text_starts(name, "filler.integer."))
        return n == 1 && cpu.adds_at_rename ? 1.0 / 6 : cpu.adds_at_rename == ALL ? 1.0 / 6 : 1;
    if (text_starts(name, "filler."))
        return 2;
    if (!text_starts(name, "window."))
        return cpu.width ? (double)instructions_of(name) / cpu.width : 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_starts(name, kinds[i].kind))
            return n + 2 <= (is_shared_with_neighbour(name) ? kinds[i].limit / 2 : kinds[i].limit) ? 500 : 1000;
    return 0;
}

static struct card_entry find_window(struct arena *arena, const char *name) {
    struct session session = testing_session(arena);
    do {
        session.card = (struct card){.arena = arena};
        windows_find(&session);
    } while (testing_give(&session, of_cpu, is_unstable));
    const struct card_entry *entry = card_find(&session.card, name);
    assert_non_null(entry);
    return *entry;
}

static void entries_are_counted_where_pairs_share_one(void **state) {
    (void)state;
    struct arena arena = {0};
    cpu.entries = 320;
    cpu.registers = 200;
    cpu.vectors = 150;
    cpu.shares = true;
    cpu.width = 6;
    struct card_entry entry = find_window(&arena, "reorder-buffer");
    assert_string_equal(entry.unit, "entries");
    assert_true(entry.low <= 320 && entry.high >= 320 && entry.high <= 330);
    // Without pairs, the largest window that two kinds share is the buffer.
    cpu.shares = false;
    entry = find_window(&arena, "reorder-buffer");
    assert_string_equal(entry.unit, "instructions");
    assert_int_equal(entry.verdict, CARD_WITHIN);
    assert_true(entry.low == 320 && entry.high == 325); // up to five entries of a group may stay free
    cpu.width = 1;
    entry = find_window(&arena, "reorder-buffer");
    assert_int_equal(entry.verdict, CARD_EXACT);
    assert_int_equal((int)entry.value, 320);
    arena_free(&arena);
}

static void without_the_width_of_dispatch_there_is_a_bound(void **state) {
    (void)state;
    struct arena arena = {0};
    cpu.entries = 320;
    cpu.registers = 200;
    cpu.vectors = 150;
    cpu.width = 0;
    for (int shares = 0; shares < 2; shares++) {
        cpu.shares = shares;
        struct card_entry entry = find_window(&arena, "reorder-buffer");
        assert_int_equal(entry.verdict, CARD_AT_LEAST);
        assert_true(entry.low <= 320 && entry.low >= 316);
    }
    arena_free(&arena);
}

static void register_files_of_one_size_are_no_reorder_buffer(void **state) {
    (void)state;
    struct arena arena = {0};
    cpu.entries = 320;
    cpu.registers = cpu.vectors = 160;
    cpu.shares = false;
    cpu.width = 6;
    struct card_entry entry = find_window(&arena, "reorder-buffer");
    assert_int_equal((int)entry.low, 320);
    entry = find_window(&arena, "registers-integer");
    assert_int_equal(entry.verdict, CARD_EXACT);
    arena_free(&arena);
}

// ---- noise

static bool always(const char *name) {
    return text_starts(name, "window.");
}

static bool in_three_of_four(const char *name) {
    unsigned hash = 0;
    for (const char *c = name; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    return always(name) && hash % 16 / 4 != 0;
}

static bool in_one_of_two(const char *name) {
    return always(name) && testing_number_of(name) % 2;
}

static bool in_the_upper_half(const char *name) {
    return always(name) && testing_number_of(name) >= 100;
}

static void assert_holds(const struct card_entry *entry, double truth) {
    if (entry->verdict == CARD_UNKNOWN)
        return;
    assert_true(entry->low <= truth);
    if (entry->verdict != CARD_AT_LEAST)
        assert_true(entry->high >= truth);
}

// A neighbour that takes half of all buffers makes every value unstable: no interval may leave out the truth.
static void a_neighbour_does_not_move_a_window(void **state) {
    (void)state;
    static bool (*const neighbours[])(const char *name) = {always, in_three_of_four, in_one_of_two, in_the_upper_half};
    for (size_t i = 0; i < sizeof neighbours / sizeof *neighbours; i++)
        for (int shares = 0; shares < 2; shares++) {
            struct arena arena = {0};
            cpu.entries = 320;
            cpu.registers = 200;
            cpu.vectors = 150;
            cpu.shares = shares;
            cpu.width = 1;
            has_neighbour = is_unstable = neighbours[i];
            struct card_entry entry = find_window(&arena, "registers-integer");
            assert_holds(&entry, 200);
            entry = find_window(&arena, "registers-vector");
            assert_holds(&entry, 148); // beside the misses
            entry = find_window(&arena, "reorder-buffer");
            assert_holds(&entry, 320);
            has_neighbour = is_unstable = NULL;
            arena_free(&arena);
        }
}

// Where a few values behind the step are stable, the interval ends there.
static void stable_values_behind_the_step_end_it(void **state) {
    (void)state;
    struct arena arena = {0};
    cpu.entries = 320;
    cpu.registers = 200;
    cpu.vectors = 150;
    cpu.shares = false;
    cpu.width = 6;
    has_neighbour = is_unstable = in_one_of_two;
    struct card_entry entry = find_window(&arena, "registers-integer");
    assert_int_equal(entry.verdict, CARD_WITHIN);
    assert_holds(&entry, 200);
    has_neighbour = is_unstable = NULL;
    arena_free(&arena);
}

// What the CPU does when it renames is no filler of a scheduler or a register file: another one takes its place.
static void a_filler_that_is_not_executed_does_not_count(void **state) {
    (void)state;
    struct arena arena = {0};
    cpu.entries = 512;
    cpu.registers = 280;
    cpu.vectors = 330;
    cpu.waiting = 97;
    cpu.shares = false;
    cpu.width = 1;
    for (cpu.adds_at_rename = NONE; cpu.adds_at_rename <= CONSTANTS; cpu.adds_at_rename++) {
        struct card_entry entry = find_window(&arena, "scheduler-integer");
        assert_int_equal(entry.verdict, CARD_EXACT);
        assert_int_equal((int)entry.value, 97 - 2); // the invented CPU counts the misses, too
        entry = find_window(&arena, "registers-integer");
        assert_int_equal((int)entry.value, 280);
        assert_non_null(strstr(entry.example, cpu.adds_at_rename ? "{s}]" : "+ 1]"));
    }
    cpu.adds_at_rename = ALL;
    static const char *const names[] = {"scheduler-integer", "registers-integer"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct card_entry entry = find_window(&arena, names[i]);
        assert_int_equal(entry.verdict, CARD_UNKNOWN);
        assert_non_null(strstr(entry.why, "no filler is executed and writes a general register: a step takes 0.17"));
    }
    cpu.adds_at_rename = NONE;
    cpu.waiting = 0;
    arena_free(&arena);
}

static bool behind_112(const char *name) {
    return always(name) && testing_number_of(name) > 112;
}

// Noise behind the last steady point is no bound: where the step is seen is more than that.
static void a_step_that_noise_hides_is_reported_as_seen(void **state) {
    (void)state;
    struct arena arena = {0};
    static const char *const names[] = {"reorder-buffer", "registers-integer", "store-queue"};
    cpu.entries = 512;
    cpu.registers = 280;
    cpu.vectors = 330;
    cpu.shares = true;
    cpu.width = 6;
    is_unstable = behind_112;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct card_entry entry = find_window(&arena, names[i]);
        int low = 0, high = 0, truth = i == 1 ? 280 : 512;
        assert_int_equal(entry.verdict, CARD_UNKNOWN);
        const char *seen = strstr(entry.why, "step seen near ");
        assert_non_null(seen);
        assert_int_equal(sscanf(seen, "step seen near %d to %d", &low, &high), 2);
        assert_true(low <= truth && truth <= high + 2 && low > 112);
    }
    is_unstable = NULL;
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filler_that_is_not_executed_does_not_count),
        cmocka_unit_test(a_step_that_noise_hides_is_reported_as_seen),
        cmocka_unit_test(entries_are_counted_where_pairs_share_one),
        cmocka_unit_test(without_the_width_of_dispatch_there_is_a_bound),
        cmocka_unit_test(register_files_of_one_size_are_no_reorder_buffer),
        cmocka_unit_test(a_neighbour_does_not_move_a_window),
        cmocka_unit_test(stable_values_behind_the_step_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
