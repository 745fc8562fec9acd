// Small loops. Where a group of dispatch does not go on behind a taken branch, an iteration takes whole cycles. A loop
// buffer that holds several iterations loses only at the end of the last. A loop of m groups and one slot more shows
// how many: it takes m cycles and a share of a cycle, 1 over the number of iterations.
#include "parameters/experiments.h"

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

// The loop's own end takes one slot where its two instructions are one, else two. Two whole groups show it: they take
// two cycles.
bool loop_end_slots(struct session *session, const struct slots *slots, unsigned *n, const char **why) {
    static const double near = 0.03; // of a cycle
    unsigned width = (unsigned)slots->width;
    for (*n = 1; *n <= MOST_END; (*n)++) {
        const struct value *value = ask(session, slots, 2 * width - *n);
        if (!value)
            return false;
        if (!value_is_usable(value))
            *why = value->why;
        else if (fabs(value->cycles - 2) <= near)
            return true;
    }
    *n = 0;
    *why = *why ? *why : "no loop of two whole groups takes two cycles: something else limits loops";
    return true;
}

// Iterations whose last slots share a group, from the share of a cycle that a loop takes more than whole groups.
// Several may fit: `low` to `high`; both 0: none does.
static void find_copies(const struct value *value, unsigned m, unsigned width, unsigned *low, unsigned *high) {
    static const double near = 0.01, relative = 0.001; // cycles; of the time
    double slack = near + relative * value->cycles;
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
        if (why)
            card_add_unknown(&session->card, &head, why);
        else if (values[i])
            add_copies(session, &head, values[i], groups[i], width);
    }
}
