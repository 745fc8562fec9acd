#include "report/mixtures.h"

#include "base/screen.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// Those that only judge come first: they were not chosen by.
enum { N_USES = TABLE_MIXTURE_PROBE + 1 };
static const enum table_mixture_use order[N_USES] = {TABLE_MIXTURE_TO_JUDGE, TABLE_MIXTURE_TO_CHOOSE,
                                                     TABLE_MIXTURE_PROBE};
static const char *const names[N_USES] = {[TABLE_MIXTURE_TO_JUDGE] = "that only judge",
                                          [TABLE_MIXTURE_TO_CHOOSE] = "to choose by",
                                          [TABLE_MIXTURE_PROBE] = "of a form and a probe"};

void mixtures_print_scores(struct arena *arena, const struct check_report *report, FILE *out) {
    struct text text = {.arena = arena};
    for (int i = 0; i < N_USES; i++) {
        const struct check_mixture_score *score = &report->mixtures[order[i]];
        if (score->n)
            text_addf(&text, "%s%zu %s, %.1f %% of their cycles", text.length ? "; " : "", score->n, names[order[i]],
                      100 * score->error);
    }
    if (!text.length)
        return;
    fputc('\n', out);
    screen_print_sentence(
        arena_printf(arena, "Mixtures of forms, and the mean error of %s: %s.", report->model, text.data), out);
}

static void print_furthest(struct arena *arena, const struct repair_mixtures *mixtures, FILE *out) {
    enum { MOST = 5 };
    static const double least = 0.05; // smaller errors are not listed
    for (size_t i = 0; i < mixtures->n_errors && i < MOST; i++) {
        const struct repair_mixture_error *error = &mixtures->errors[i];
        const struct table_value *value = &error->mixture->value.value;
        if (error->after < least && error->after > -least)
            return;
        screen_print_sentence(arena_printf(arena, "%s %s (%s): measured %.4g, %+.0f %% before, %+.0f %% after",
                                           i ? "      " : "Furthest off:", error->mixture->name, error->mixture->about,
                                           value->cycles, 100 * error->before, 100 * error->after),
                              out);
    }
}

// The rules whose change has helped most come first.
static int compare_judged(const void *a, const void *b) {
    const struct repair_judged *one = a, *other = b;
    double x = one->before - one->after, y = other->before - other->after;
    return x != y ? (x < y ? 1 : -1) : strcmp(one->form, other->form);
}

static void print_judged(struct arena *arena, const struct repair_mixtures *mixtures, FILE *out) {
    enum { MOST = 10 };
    static const char *const what[] = {[REPAIR_EARLIER_PIPES] = "By mixtures, pipes taken back of",
                                       [REPAIR_OTHER_PIPES] = "By mixtures, other pipes of",
                                       [REPAIR_EARLIER_UOPS] = "By mixtures, uops taken back of"};
    size_t n = mixtures->n_judged;
    struct repair_judged *sorted = ARENA_ARRAY(arena, struct repair_judged, n);
    if (!n)
        return;
    memcpy(sorted, mixtures->judged, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_judged);
    for (size_t i = 0; i < n && i < MOST; i++) {
        const char *others = sorted[i].n_forms > 1
                                 ? arena_printf(arena, " and %s", text_count(arena, sorted[i].n_forms - 1, "other"))
                                 : "";
        screen_print_sentence(arena_printf(arena, "%s %s%s: mean error of %s %.1f %%, now %.1f %%.",
                                           what[sorted[i].has], sorted[i].form, others,
                                           text_count(arena, sorted[i].n_mixtures, "mixture"), 100 * sorted[i].before,
                                           100 * sorted[i].after),
                              out);
    }
    if (n > MOST)
        screen_print_sentence(
            arena_printf(arena, "By mixtures, %s changed as well.", text_count_are(arena, n - MOST, "rule")), out);
}

void mixtures_print_repair(struct arena *arena, const struct repair_mixtures *mixtures, FILE *out) {
    struct text text = {.arena = arena};
    for (int i = 0; i < N_USES; i++) {
        const struct repair_mixture_score *score = &mixtures->scores[order[i]];
        if (score->n)
            text_addf(&text, "%s%zu %s, %.1f %% before, %.1f %% after", text.length ? "; " : "", score->n,
                      names[order[i]], 100 * score->before, 100 * score->after);
    }
    if (!text.length)
        return;
    screen_print_sentence(arena_printf(arena, "Mixtures of forms, and their mean error: %s.", text.data), out);
    print_furthest(arena, mixtures, out);
    print_judged(arena, mixtures, out);
}
