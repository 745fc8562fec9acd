// A move or a load, and an operation on its result, may take one slot of dispatch together; on some CPUs in loops only.
// As many pairs as dispatch is wide stand among so many fillers that all slots are whole groups, fused or not.
#include "bench/whole.h"
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

// Slots of a pair: 1 or 2; 0: not a whole number. Cycles besides the fillers' are slots of a pair: there are as many of
// them as a group has.
static double slots_of(const struct value *value, struct value *each) {
    const struct value fillers = {.is_good = true, .is_stable = true, .cycles = GROUPS, .low = GROUPS, .high = GROUPS};
    *each = value_less(value, &fillers, 1);
    double whole = round(each->cycles);
    bool is_whole = value_is_usable(each) && (whole == 1 || whole == 2) && each->low > whole - WHOLE_GROUP &&
                    each->high < whole + WHOLE_GROUP;
    return is_whole ? whole : 0;
}

// `trouble`: why its slots cannot be counted; null: they can.
static void add_pair(struct session *session, const struct card_entry *head, const struct value *value,
                     const char *trouble) {
    struct value each = {0};
    double whole = trouble ? 0 : slots_of(value, &each);
    if (trouble) {
        card_add_unknown(&session->card, head, trouble);
    } else if (whole > 0) {
        card_add_whole(&session->card, head, whole);
        session->card.entries[session->card.n_entries - 1].why = whole < 2 ? "fused" : "not fused";
    } else {
        card_add_unknown(
            &session->card, head,
            value_is_usable(&each)
                ? arena_printf(session->arena, "%.2f to %.2f slots: not one whole number", each.low, each.high)
                : each.why);
    }
}

// Loops must be able to take the groups of both answers. What straight code fuses and a loop does not is no answer: the
// loop may be limited by what fetches it.
void move_fusion_find(struct session *session, const struct slots *slots, const char *why) {
    const char *no_loop = why, *no_groups[2] = {NULL};
    unsigned end = 0;
    bool is_missing = !why && !loop_end_slots(session, slots, &end, &no_loop);
    for (unsigned i = 0; i < 2 && !no_loop && !is_missing; i++)
        is_missing = !loop_groups_fit(session, slots, end, GROUPS + 1 + i, &no_groups[i]);
    for (unsigned i = 0; i < 2 && !no_loop; i++)
        no_loop = no_groups[i];
    for (unsigned i = 0; i < N_PAIRS; i++) {
        const char *name = pairs[i].name;
        const struct card_entry straight = parameter_head(session->arena, FUSED_SLOTS,
                                                          arena_printf(session->arena, "%s-straight", name)),
                                loop = parameter_head(session->arena, FUSED_SLOTS,
                                                      arena_printf(session->arena, "%s-loop", name));
        const struct value *in_line = why ? NULL : ask(session, slots, &pairs[i], 0),
                           *in_loop = no_loop || is_missing ? NULL : ask(session, slots, &pairs[i], end);
        struct value each;
        const char *trouble = no_loop;
        if (in_line && in_loop && slots_of(in_line, &each) == 1 && slots_of(in_loop, &each) == 2)
            trouble = "as long as two slots each, but straight code fuses them: something else may limit the loop";
        if (why || in_line)
            add_pair(session, &straight, in_line, why);
        if (trouble || in_loop)
            add_pair(session, &loop, in_loop, trouble);
    }
}
