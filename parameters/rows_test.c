// A card never lacks a row: what is not measured, or cannot be, has a row with the reason.
#include "parameters/experiments.h"
#include "parameters/testing.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *name;
    void (*find)(struct session *session);
} experiments[] = {
    {"widths", widths_find},       {"windows", windows_find},       {"front-end", frontend_find},
    {"branches", branches_find},   {"latencies", latencies_find},   {"pages", pages_find},
    {"bandwidth", bandwidth_find}, {"forwarding", forwarding_find}, {"idioms", idioms_find},
    {"fusion", fusion_find},       {"costs", costs_find},           {"banks", banks_find},
    {"renaming", renaming_find},   {"slots", slots_find},
};
enum { N_EXPERIMENTS = sizeof experiments / sizeof *experiments };

// Two misses in turn take longer than two together, so windows have curves; all else takes a cycle, and six zeroings,
// nops and adds two of them.
static double steady(const char *name) {
    if (text_starts(name, "window.in-turn"))
        return 2;
    return text_starts(name, "pair-") ? 7 : 1;
}

static double nothing(const char *name) {
    (void)name;
    return 0;
}

static bool everywhere(const char *name) {
    (void)name;
    return true;
}

// The card of an experiment. `cycles_of`: null: the budget is spent before anything is measured.
static struct card find(struct arena *arena, const char *isa, size_t experiment, double (*cycles_of)(const char *name),
                        bool (*is_unstable)(const char *name)) {
    struct session session = testing_session(arena);
    session.recipe = recipe_find(isa);
    session.is_final = !cycles_of;
    do {
        session.card = (struct card){.arena = arena};
        experiments[experiment].find(&session);
    } while (cycles_of && testing_give(&session, cycles_of, is_unstable));
    return session.card;
}

static void assert_has_all(const char *experiment, const struct card *card, const struct card *other) {
    for (size_t i = 0; i < other->n_entries; i++)
        if (!card_find(card, other->entries[i].name))
            fail_msg("%s: no row '%s'", experiment, other->entries[i].name);
    for (size_t i = 0; i < card->n_entries; i++)
        if (card->entries[i].verdict == CARD_UNKNOWN && !(card->entries[i].why && *card->entries[i].why))
            fail_msg("%s: '%s' has no reason", experiment, card->entries[i].name);
}

static void no_row_is_missing(void **state) {
    (void)state;
    static const char *const isas[] = {"x86_64", "aarch64", "riscv64"};
    for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++)
        for (size_t i = 0; i < N_EXPERIMENTS; i++) {
            struct arena arena = {0};
            const struct card cards[] = {
                find(&arena, isas[isa], i, steady, NULL),
                find(&arena, isas[isa], i, steady, everywhere),
                find(&arena, isas[isa], i, nothing, NULL),
                find(&arena, isas[isa], i, NULL, NULL),
            };
            enum { N_CARDS = sizeof cards / sizeof *cards };
            assert_true(cards[0].n_entries > 0);
            for (size_t a = 0; a < N_CARDS; a++)
                assert_has_all(experiments[i].name, &cards[a], &cards[0]);
            arena_free(&arena);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_row_is_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
