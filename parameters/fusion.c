// Macro-fusion: an instruction and a branch that take one slot of dispatch together. So many zeroings, or nops, that
// dispatch is the limit stand beside each pair: the time is that of all slots.
#include "bench/whole.h"
#include "parameters/experiments.h"

#include <math.h>
#include <string.h>

static const char *const firsts[][2] = {
    {"cmp", "cmp {s:r64}, {s}"},     {"cmp-imm", "cmp {s:r64}, 0"},   {"cmp-mem", "cmp [{m:r64} + 64], {s:r64}"},
    {"test", "test {s:r64}, {s}"},   {"test-imm", "test {s:r32}, 1"}, {"add", "add {z:r64}, {s:r64}"},
    {"sub", "sub {z:r64}, {s:r64}"}, {"and", "and {z:r64}, {s:r64}"}, {"or", "or {z:r64}, {s:r64}"},
    {"xor", "xor {z:r64}, {s:r64}"}, {"inc", "inc {i:r64}"},          {"dec", "dec {j:r64}"},
    {"neg", "neg {z:r64}"},          {"shl", "shl {z:r64}, 1"},       {"mov", "mov {z:r64}, {s:r64}"},
};
// Branches that zero never takes.
static const char *const seconds[] = {"jne", "jb", "jl", "ja", "js", "jo"};
enum { N_FIRSTS = sizeof firsts / sizeof *firsts, N_SECONDS = sizeof seconds / sizeof *seconds };

// inc and dec do not give zero: they have the branches that count.
static const char *second_of(unsigned first, unsigned second) {
    bool is_inc = strcmp(firsts[first][0], "inc") == 0, is_dec = strcmp(firsts[first][0], "dec") == 0;
    if (!is_inc && !is_dec)
        return seconds[second];
    static const char *const others[] = {"je", "jl", "jo"};
    return second < sizeof others / sizeof *others ? others[second] : NULL;
}

static const struct value *ask(struct session *session, const char *name, const char *line, const char *branch,
                               enum recipe_line filler, unsigned n_fillers) {
    struct text body = {.arena = session->arena};
    text_addf(&body, "%s\n", line);
    if (branch)
        text_addf(&body, "%s 1f\n1:\n", branch);
    for (unsigned i = 0; i < n_fillers; i++)
        recipe_add(&body, session->recipe->lines[filler], i, "p");
    bool writes_z = strstr(line, "{z:"), counts = strstr(line, "{i:") || strstr(line, "{j:");
    const struct timing timing = {.name = filler == LINE_ZERO ? name : arena_printf(session->arena, "%s.nops", name),
                                  .body = body.data,
                                  .init = strstr(line, "{i:")   ? "i: 1000"
                                          : strstr(line, "{j:") ? "j: 1000000000000"
                                                                : NULL,
                                  .writes = writes_z ? "z"
                                            : counts ? (strstr(line, "{i:") ? "i" : "j")
                                                     : NULL};
    return session_value(session, &timing);
}

static void add_pair(struct session *session, const char *name, const char *line, const struct value *value,
                     double dispatch, unsigned n_fillers) {
    const struct card_entry head = {.group = "fusion",
                                    .name = name,
                                    .unit = "slots",
                                    .how = "dispatch slots of the pair, beside zeroings or nops that fill dispatch",
                                    .example = line};
    if (!value_is_usable(value)) {
        card_add_unknown(&session->card, &head, value->why);
        return;
    }
    double slots = value->cycles * dispatch - n_fillers, error = (value->high - value->low) / 2 * dispatch;
    double whole = round(slots);
    if (fabs(slots - whole) + error > WHOLE_PAIR || whole < 1) {
        card_add_unknown(&session->card, &head, arena_printf(session->arena, "%.2f slots: not a whole number", slots));
        return;
    }
    card_add_number(&session->card, &head, whole, whole, whole, 0.01);
    session->card.entries[session->card.n_entries - 1].why = whole < 2 ? "fused" : "not fused";
}

void fusion_find(struct session *session) {
    const struct card_entry head = {.group = "fusion",
                                    .name = "fusion",
                                    .unit = "slots",
                                    .how = "pairs of an instruction and a branch beside zeroings or nops"};
    if (strcmp(session->recipe->isa, "x86_64") != 0) {
        card_add_unknown(&session->card, &head, session_no_isa);
        return;
    }
    struct slots slots;
    if (!widths_slots(session, &slots))
        return;
    if (slots.width < 1) {
        card_add_unknown(&session->card, &head,
                         "neither zeroings nor nops run at the width of dispatch, so they cannot count slots");
        return;
    }
    unsigned n_fillers = 3 * (unsigned)slots.width;
    for (unsigned f = 0; f < N_FIRSTS; f++)
        for (unsigned s = 0; s < N_SECONDS; s++) {
            const char *branch = second_of(f, s);
            if (!branch)
                continue;
            const char *name = arena_printf(session->arena, "pair-%s-%s", firsts[f][0], branch);
            const struct value *value = ask(session, name, firsts[f][1], branch, slots.filler, n_fillers);
            if (value)
                add_pair(session, name, firsts[f][1], value, slots.width, n_fillers);
        }
}
