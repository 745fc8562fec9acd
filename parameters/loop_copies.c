// Small loops. Where a group of dispatch does not go on behind a taken branch, an iteration takes whole cycles. A loop
// buffer that holds several iterations loses only at the end of the last. A loop of m groups and one slot more shows
// how many: it takes m cycles and a share of a cycle, 1 over the number of iterations.
#include "parameters/experiments.h"

#include "bench/whole.h"
#include "parameters/table.h"

#include <math.h>

static const unsigned groups[] = {1, 2, 3, 4, 5, 8, 12, 16};
enum { N_GROUPS = sizeof groups / sizeof *groups, MOST_END = 2 };

static const struct value *ask(struct session *session, const struct slots *slots, unsigned n) {
    struct text body = {.arena = session->arena};
    for (unsigned i = 0; i < n; i++)
        recipe_add(&body, session->recipe->lines[slots->filler], i, "p");
    const struct timing timing = {
        .name = arena_printf(session->arena, "loop-slots-%s.%u", slots->filler == LINE_ZERO ? "zeroings" : "nops", n),
        .body = body.data,
        .form = PROGRAM_LOOPED};
    return session_value(session, &timing);
}

bool loop_groups_fit(struct session *session, const struct slots *slots, unsigned end, unsigned m, const char **why) {
    const struct value *value = ask(session, slots, m * (unsigned)slots->width - end);
    if (!value)
        return false;
    *why = !value_is_usable(value) ? value->why
           : fabs(value->cycles - m) > WHOLE_LOOP
               ? arena_printf(session->arena, "a loop of %u whole groups takes %.2f cycles: something else limits it",
                              m, value->cycles)
               : NULL;
    return true;
}

// The loop's own end takes one slot where its two instructions are one, else two. Whole groups show it: one, two or
// three of them take as many cycles. One slot comes first, and must be excluded by steady times: where an iteration
// takes whole cycles, a loop that is a slot shorter does, too.
bool loop_end_slots(struct session *session, const struct slots *slots, unsigned *n, const char **why) {
    enum { MOST_GROUPS = 3 };
    unsigned width = (unsigned)slots->width;
    bool is_missing = false;
    const char *trouble = NULL;
    for (*n = 1; *n <= MOST_END && !trouble; (*n)++) {
        for (unsigned m = 1; m <= MOST_GROUPS; m++) {
            const struct value *value = ask(session, slots, m * width - *n);
            is_missing = is_missing || !value;
            if (value && !value_is_usable(value))
                trouble = value->why;
            else if (value && fabs(value->cycles - m) <= WHOLE_LOOP)
                return true;
        }
        if (is_missing)
            return false;
    }
    *n = 0;
    *why = trouble ? trouble : "no loop of whole groups takes as many cycles: something else limits loops";
    return true;
}

// Iterations whose last slots share a group, from the share of a cycle that a loop takes more than whole groups.
// Several may fit: `low` to `high`; both 0: none does.
static void find_copies(const struct value *value, unsigned m, unsigned width, unsigned *low, unsigned *high) {
    static const double least = 0.01, relative = 0.001; // cycles; of the time
    double slack = least + relative * value->cycles;
    *low = *high = 0;
    for (unsigned k = 1; k <= width; k++) {
        double time = m + 1.0 / k;
        if (value->high < time - slack || value->low > time + slack)
            continue;
        *low = *low ? *low : k;
        *high = k;
    }
}

static void add_copies(struct session *session, const struct card_entry *head, const struct value *value, unsigned m,
                       unsigned width) {
    struct card *card = &session->card;
    unsigned low, high;
    if (!value_is_usable(value)) {
        card_add_unknown(card, head, value->why);
        return;
    }
    find_copies(value, m, width, &low, &high);
    if (!low) {
        card_add_unknown(
            card, head,
            arena_printf(session->arena, "an iteration takes %.3f cycles: something else limits it", value->cycles));
        return;
    }
    if (high == width)
        card_add_at_least(card, head, low, "no slot is lost: as many iterations as dispatch is wide, or any number");
    else
        card_add_number(card, head, (low + high) / 2.0, low, high, 0);
    if (high == 1)
        card->entries[card->n_entries - 1].why = "an iteration takes whole cycles";
}

void loop_copies_find(struct session *session, const struct slots *slots, const char *why) {
    unsigned width = (unsigned)slots->width, end = 0;
    struct card_curve curve = {
        .name = "loop-copies", .x = "slots of a loop, one more than whole groups", .y = "cycles of an iteration"};
    bool is_missing = !why && !loop_end_slots(session, slots, &end, &why);
    const struct value *values[N_GROUPS] = {NULL};
    for (unsigned i = 0; i < N_GROUPS && !why && !is_missing; i++) {
        values[i] = ask(session, slots, groups[i] * width + 1 - end);
        if (values[i] && values[i]->is_good)
            *ARENA_ADD(session->arena, curve.points, curve.n_points) =
                (struct card_point){groups[i] * width + 1, values[i]->cycles, values[i]->low, values[i]->high};
    }
    if (curve.n_points)
        *ARENA_ADD(session->arena, session->card.curves, session->card.n_curves) = curve;
    for (unsigned i = 0; i < N_GROUPS; i++) {
        struct card_entry head =
            parameter_head(session->arena, LOOP_COPIES, arena_printf(session->arena, "%u-groups", groups[i]));
        head.curve = curve.name;
        const char *trouble = why;
        if (!why && (is_missing || !loop_groups_fit(session, slots, end, groups[i], &trouble)))
            continue;
        if (trouble)
            card_add_unknown(&session->card, &head, trouble);
        else if (values[i])
            add_copies(session, &head, values[i], groups[i], width);
    }
}
