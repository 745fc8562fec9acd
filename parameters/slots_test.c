// Slots on invented CPUs of six a cycle, so that the truth is known: a Redwood Cove as it was measured, and others
// without loop buffer, fusion and stack engine.
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

enum { WIDTH = 6 };

static struct {
    unsigned end;                       // slots of a loop's end
    unsigned (*copies)(unsigned slots); // iterations whose last slots share a group; null: all do
    unsigned slow_from, slow_to;        // loops of so many slots take a cycle more: what fetches them limits them
    bool is_fused, is_fused_in_loops;
    bool has_sync;
    double nops; // per cycle
    double zeroings;
} cpu;

static bool is(const char *name, const char *prefix) {
    return text_starts(name, prefix);
}

static unsigned of_redwood_cove(unsigned slots) {
    return slots <= 16 ? 6 : slots <= 24 ? 4 : slots <= 40 ? 3 : slots <= 75 ? 2 : 1;
}

static unsigned one(unsigned slots) {
    (void)slots;
    return 1;
}

static double of_loop(unsigned slots) {
    unsigned k = cpu.copies ? cpu.copies(slots) : 0;
    unsigned of_all = (k * slots + WIDTH - 1) / WIDTH; // cycles of k iterations
    double cycles = k ? (double)of_all / k : (double)slots / WIDTH;
    return cycles + (slots >= cpu.slow_from && slots < cpu.slow_to);
}

// The instructions of a width, by its name.
static double instructions_of(const char *name) {
    int n = 0;
    if (!is(name, "width.mix"))
        return RECIPE_REGISTERS;
    for (const char *c = strstr(name, "-"); c; c = strstr(c + 1, "-"))
        n += atoi(strchr(c, '.') + 1);
    return n;
}

static double of_cpu(const char *name) {
    if (is(name, "width.nops"))
        return RECIPE_REGISTERS / cpu.nops;
    if (is(name, "width.zeroings"))
        return RECIPE_REGISTERS / cpu.zeroings;
    if (is(name, "loop-slots-"))
        return of_loop((unsigned)testing_number_of(name) + cpu.end);
    if (is(name, "fused-"))
        return 2 + ((strstr(name, "loop") ? cpu.is_fused_in_loops : cpu.is_fused) ? 1 : 2);
    if (is(name, "stack-"))
        return 3.5 + (cpu.has_sync && strstr(name, "-stack.") ? 1.0 / WIDTH : 0);
    return instructions_of(name) / WIDTH;
}

static bool (*is_unstable)(const char *name); // null: nothing is

static bool is_loop(const char *name) {
    return is(name, "loop-slots-") && testing_number_of(name) % WIDTH == WIDTH - 1;
}

static struct card find(struct arena *arena) {
    struct session session = testing_session(arena);
    do {
        session.card = (struct card){.arena = arena};
        slots_find(&session);
    } while (testing_give(&session, of_cpu, is_unstable));
    return session.card;
}

static void assert_entry(const struct card *card, const char *name, enum card_verdict verdict, double low,
                         const char *why) {
    const struct card_entry *entry = card_find(card, name);
    if (!entry || entry->verdict != verdict || (verdict != CARD_UNKNOWN && entry->low != low) ||
        (why && !(entry->why && strstr(entry->why, why))))
        fail_msg("%s: %s %g, %s", name, entry ? card_verdict_name(entry->verdict) : "none", entry ? entry->low : 0,
                 entry && entry->why ? entry->why : "");
}

static void iterations_of_a_loop_buffer_are_counted(void **state) {
    (void)state;
    struct arena arena = {0};
    static const unsigned groups[] = {1, 2, 3, 4, 5, 8, 12, 16};
    cpu.nops = cpu.zeroings = WIDTH;
    for (cpu.end = 1; cpu.end <= 2; cpu.end++) {
        cpu.copies = of_redwood_cove;
        struct card card = find(&arena);
        assert_entry(&card, "loop-copies-1-groups", CARD_AT_LEAST, 6, NULL);
        assert_entry(&card, "loop-copies-2-groups", CARD_AT_LEAST, 6, NULL);
        assert_entry(&card, "loop-copies-3-groups", CARD_EXACT, 4, NULL);
        assert_entry(&card, "loop-copies-4-groups", CARD_EXACT, 3, NULL);
        assert_entry(&card, "loop-copies-8-groups", CARD_EXACT, 2, NULL);
        assert_entry(&card, "loop-copies-16-groups", CARD_EXACT, 1, "whole cycles");
        cpu.copies = one;
        card = find(&arena);
        for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
            assert_entry(&card, arena_printf(&arena, "loop-copies-%u-groups", groups[i]), CARD_EXACT, 1,
                         "whole cycles");
        cpu.copies = NULL;
        card = find(&arena);
        assert_entry(&card, "loop-copies-1-groups", CARD_AT_LEAST, 6, "no slot is lost");
        assert_entry(&card, "loop-copies-8-groups", CARD_AT_LEAST, 6, "no slot is lost");
    }
    // A loop that is too slow with whole groups shows nothing with one slot more.
    cpu.end = 1;
    cpu.slow_from = 17;
    cpu.slow_to = 20;
    struct card card = find(&arena);
    assert_entry(&card, "loop-copies-1-groups", CARD_AT_LEAST, 6, NULL);
    assert_entry(&card, "loop-copies-3-groups", CARD_UNKNOWN, 0, "a loop of 3 whole groups takes 4.00 cycles");
    assert_entry(&card, "loop-copies-4-groups", CARD_AT_LEAST, 6, NULL);
    assert_entry(&card, "fused-load-add-loop", CARD_UNKNOWN, 0, "a loop of 3 whole groups takes 4.00 cycles");
    cpu.slow_to = 0;
    // Where one slot is not excluded, two are not shown, as whole cycles would look the same.
    cpu.end = 1;
    cpu.copies = one;
    is_unstable = is_loop;
    card = find(&arena);
    assert_entry(&card, "loop-copies-1-groups", CARD_UNKNOWN, 0, "invented noise");
    assert_entry(&card, "fused-move-add-loop", CARD_UNKNOWN, 0, "invented noise");
    is_unstable = NULL;
    cpu.copies = NULL;
    cpu.end = 3; // such a loop is not known
    card = find(&arena);
    assert_entry(&card, "loop-copies-1-groups", CARD_UNKNOWN, 0, "no loop of whole groups");
    assert_entry(&card, "fused-load-add-loop", CARD_UNKNOWN, 0, "no loop of whole groups");
    cpu.end = 1;
    arena_free(&arena);
}

static void moves_and_loads_are_fused_or_not(void **state) {
    (void)state;
    struct arena arena = {0};
    static const char *const pairs[] = {"move-add", "load-add"};
    cpu.end = 1;
    cpu.copies = of_redwood_cove;
    cpu.nops = cpu.zeroings = WIDTH;
    for (int in_loops = 0; in_loops < 2; in_loops++)
        for (int straight = 0; straight < 2; straight++) {
            cpu.is_fused_in_loops = in_loops;
            cpu.is_fused = straight;
            struct card card = find(&arena);
            for (size_t i = 0; i < 2; i++) {
                // What is fused in straight code alone may be limited by something else in a loop.
                bool is_sure = in_loops || !straight;
                assert_entry(&card, arena_printf(&arena, "fused-%s-loop", pairs[i]),
                             is_sure ? CARD_EXACT : CARD_UNKNOWN, in_loops ? 1 : 2,
                             !is_sure   ? "something else may limit the loop"
                             : in_loops ? "fused"
                                        : "not fused");
                assert_entry(&card, arena_printf(&arena, "fused-%s-straight", pairs[i]), CARD_EXACT, straight ? 1 : 2,
                             straight ? "fused" : "not fused");
            }
        }
    arena_free(&arena);
}

static void a_slot_more_behind_a_push_is_found(void **state) {
    (void)state;
    struct arena arena = {0};
    for (int has_sync = 0; has_sync < 2; has_sync++) {
        cpu.has_sync = has_sync;
        struct card card = find(&arena);
        assert_entry(&card, "stack-sync-move", CARD_EXACT, has_sync, has_sync ? "up to date" : "no slot more");
        assert_entry(&card, "stack-sync-load", CARD_EXACT, has_sync, NULL);
    }
    arena_free(&arena);
}

// Zeroings that are slower than dispatch count no slots; nops do, unless two of them share one.
static void nops_count_slots_where_zeroings_do_not(void **state) {
    (void)state;
    struct arena arena = {0};
    cpu.zeroings = 4;
    cpu.nops = WIDTH;
    struct card card = find(&arena);
    assert_entry(&card, "stack-sync-move", CARD_EXACT, cpu.has_sync, NULL);
    cpu.nops = 2 * WIDTH;
    card = find(&arena);
    assert_entry(&card, "stack-sync-move", CARD_UNKNOWN, 0, "neither zeroings nor nops");
    assert_entry(&card, "fused-move-add-straight", CARD_UNKNOWN, 0, "neither zeroings nor nops");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_of_a_loop_buffer_are_counted),
        cmocka_unit_test(moves_and_loads_are_fused_or_not),
        cmocka_unit_test(a_slot_more_behind_a_push_is_found),
        cmocka_unit_test(nops_count_slots_where_zeroings_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
