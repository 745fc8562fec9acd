// Page walks on invented times, so that the truth is known.
#include "parameters/experiments.h"
#include "parameters/testing.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool (*is_unstable)(const char *name); // which values noise disturbs; null: none
enum { FIRST = 72, SECOND = 3072, FIRST_LEVEL_CACHE = 512 };

static bool is_by_page(const char *name) {
    return text_starts(name, "pages.");
}

// The lines leave the first level of caches; pages leave the translations.
static double of_cpu(const char *name) {
    int n = testing_number_of(name);
    double lines = n <= FIRST_LEVEL_CACHE ? 4 : 14, cost = n <= FIRST ? 0 : n <= SECOND ? 8 : 30;
    return lines + (is_by_page(name) ? cost : 0);
}

// Translations are never full.
static double of_lines(const char *name) {
    return testing_number_of(name) <= FIRST_LEVEL_CACHE ? 4 : 14;
}

static double of_cpu_without_second(const char *name) {
    return testing_number_of(name) <= FIRST || !is_by_page(name) ? 4 : 12;
}

static double slow_from_the_first(const char *name) {
    return is_by_page(name) ? 12 : 4;
}

static double never(const char *name) {
    (void)name;
    return 0;
}

static struct session find(struct arena *arena, double (*cycles_of)(const char *name)) {
    struct session session = testing_session(arena);
    do {
        session.card = (struct card){.arena = arena};
        pages_find(&session);
    } while (testing_give(&session, cycles_of, is_unstable));
    return session;
}

static const struct card_entry *entry_of(const struct session *session, const char *name) {
    const struct card_entry *entry = card_find(&session->card, name);
    assert_non_null(entry);
    return entry;
}

static void both_levels_are_found(void **state) {
    (void)state;
    struct arena arena = {0};
    struct session session = find(&arena, of_cpu);
    const struct card_entry *entry = entry_of(&session, "tlb-first-pages");
    assert_int_equal(entry->verdict, CARD_WITHIN);
    assert_true(entry->low <= FIRST && entry->high > FIRST && entry->high <= FIRST + 2);
    entry = entry_of(&session, "tlb-second-pages");
    assert_int_equal(entry->verdict, CARD_WITHIN);
    assert_true(entry->low <= SECOND && entry->high > SECOND && entry->high <= SECOND * 1.05);
    entry = entry_of(&session, "tlb-first-miss");
    assert_true(entry->low <= 8 && entry->high >= 8 && entry->high < 8.5);
    entry = entry_of(&session, "tlb-second-miss");
    assert_true(entry->low <= 22 && entry->high >= 22 && entry->high < 22.5);
    arena_free(&arena);
}

static bool is_above_the_first(const char *name) {
    return testing_number_of(name) > FIRST;
}

static void what_is_not_seen_is_not_reported(void **state) {
    (void)state;
    static const char *const names[] = {"tlb-first-pages", "tlb-first-miss", "tlb-second-pages", "tlb-second-miss"};
    static double (*const cpus[])(const char *name) = {of_lines, slow_from_the_first, never};
    struct arena arena = {0};
    for (size_t c = 0; c < sizeof cpus / sizeof *cpus; c++) {
        struct session session = find(&arena, cpus[c]);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            assert_int_equal(entry_of(&session, names[i])->verdict, CARD_UNKNOWN);
    }
    struct session session = find(&arena, of_cpu_without_second);
    assert_int_equal(entry_of(&session, "tlb-first-pages")->verdict, CARD_WITHIN);
    assert_int_equal(entry_of(&session, "tlb-second-pages")->verdict, CARD_UNKNOWN);
    // Noise behind the first step: its end is not known.
    is_unstable = is_above_the_first;
    session = find(&arena, of_cpu);
    const struct card_entry *entry = entry_of(&session, "tlb-first-pages");
    assert_int_equal(entry->verdict, CARD_UNKNOWN);
    assert_non_null(strstr(entry->why, "step seen near "));
    assert_int_equal(entry_of(&session, "tlb-first-miss")->verdict, CARD_UNKNOWN);
    is_unstable = NULL;
    session = testing_session(&arena);
    session.is_simulated = true;
    pages_find(&session);
    assert_string_equal(entry_of(&session, "page-walks")->why, "a simulated CPU has no pages");
    arena_free(&arena);
}

static unsigned seed;

// A tenth of the lines, and others with each seed.
static bool is_slow(const char *name) {
    unsigned hash = seed * 2654435761U;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    return !is_by_page(name) && (hash >> 16) % 10 == 0;
}

static double of_cpu_with_slow_lines(const char *name) {
    return of_cpu(name) * (is_slow(name) ? 3 : 1);
}

// Lines that a neighbour slows make pages look cheap. Then a level may not be found, but it is not found elsewhere.
static void slow_lines_move_no_level(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int truth;
    } levels[] = {{"tlb-first-pages", FIRST}, {"tlb-second-pages", SECOND}};
    unsigned n_found = 0;
    is_unstable = is_slow;
    for (seed = 1; seed <= 40; seed++) {
        struct arena arena = {0};
        struct session session = find(&arena, of_cpu_with_slow_lines);
        for (int i = 0; i < 2; i++) {
            const struct card_entry *entry = entry_of(&session, levels[i].name);
            n_found += entry->verdict != CARD_UNKNOWN;
            if (entry->verdict != CARD_UNKNOWN && entry->low > levels[i].truth)
                fail_msg("seed %u, %s: from %g pages on", seed, levels[i].name, entry->low);
            if (entry->verdict == CARD_WITHIN)
                assert_true(entry->high > levels[i].truth);
        }
        arena_free(&arena);
    }
    is_unstable = NULL;
    assert_true(n_found > 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_levels_are_found),
        cmocka_unit_test(what_is_not_seen_is_not_reported),
        cmocka_unit_test(slow_lines_move_no_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
