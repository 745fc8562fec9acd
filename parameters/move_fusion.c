// A move or a load, and an operation on its result, may take one slot of dispatch together; on some CPUs in loops only.
// As many pairs as dispatch is wide stand among so many fillers that all slots are whole groups, fused or not.
#include "parameters/experiments.h"

#include "parameters/table.h"

#include <math.h>

static const struct pair {
    const char *name, *body; // as in struct recipe
} pairs[] = {
    {"move-add", "mov {d$i:r64}, {s:r64}\nadd {d$i}, {r:r64}"},
    {"load-add", "mov {d$i:r64}, [{m:r64} + $o]\nadd {d$i}, {r:r64}"},
};
enum { N_PAIRS = sizeof pairs / sizeof *pairs, GROUPS = 2 }; // groups: of fillers, and of the loop's end

// `end`: slots of the loop's end; 0: straight code.
static const struct value *ask(struct session *session, const struct slots *slots, const struct pair *pair,
                               unsigned end) {
    struct text body = {.arena = session->arena};
    unsigned width = (unsigned)slots->width, n_fillers = GROUPS * width - end, n_done = 0;
    for (unsigned i = 0; i < width; i++) {
        recipe_add(&body, pair->body, i, "p");
        for (; n_done < n_fillers * (i + 1) / width; n_done++)
            recipe_add(&body, slots->filler == LINE_ZERO ? "xor {z:r32}, {z}" : session->recipe->lines[slots->filler],
                       0, "p");
    }
    const struct timing timing = {.name = arena_printf(session->arena, "fused-%s-%s.%s", pair->name,
                                                       end ? "loop" : "straight",
                                                       slots->filler == LINE_ZERO ? "zeroings" : "nops"),
                                  .body = body.data,
                                  .writes = slots->filler == LINE_ZERO ? "z" : NULL,
                                  .form = end ? PROGRAM_LOOPED : PROGRAM_UNROLLED};
    return session_value(session, &timing);
}

static void add_pair(struct session *session, const struct card_entry *head, const struct value *value) {
    static const double near = 0.15; // of a slot
    const struct value fillers = {.is_good = true, .is_stable = true, .cycles = GROUPS, .low = GROUPS, .high = GROUPS};
    const struct value each = value_less(value, &fillers, 1); // cycles are slots of a pair: as many as a group has
    double whole = round(each.cycles);
    if (value_is_usable(&each) && (whole == 1 || whole == 2) && each.low > whole - near && each.high < whole + near) {
        card_add_whole(&session->card, head, whole);
        session->card.entries[session->card.n_entries - 1].why = whole < 2 ? "fused" : "not fused";
    } else {
        card_add_unknown(
            &session->card, head,
            value_is_usable(&each)
                ? arena_printf(session->arena, "%.2f slots: no whole number, so something else limits it", each.cycles)
                : each.why);
    }
}

void move_fusion_find(struct session *session, const struct slots *slots, const char *why) {
    unsigned end = 0;
    const char *no_loop = why;
    bool is_missing = !why && !loop_end_slots(session, slots, &end, &no_loop);
    for (unsigned i = 0; i < N_PAIRS; i++)
        for (unsigned is_loop = 0; is_loop < 2; is_loop++) {
            const struct card_entry head =
                parameter_head(session->arena, FUSED_SLOTS,
                               arena_printf(session->arena, "%s-%s", pairs[i].name, is_loop ? "loop" : "straight"));
            const char *trouble = is_loop ? no_loop : why;
            const struct value *value =
                trouble || (is_loop && is_missing) ? NULL : ask(session, slots, &pairs[i], is_loop ? end : 0);
            if (trouble)
                card_add_unknown(&session->card, &head, trouble);
            else if (value)
                add_pair(session, &head, value);
        }
}
