// The cost of a misprediction: a branch that a random number decides, against one that always goes the same way. The
// numbers come from a chain (Marsaglia, "Xorshift RNGs", 2003), so nothing behind a wrong branch can begin before it.
#include "parameters/experiments.h"

#include <math.h>
#include <string.h>

// The mask decides which bit of the number the branch sees: 0, none.
static const struct {
    const char *isa, *setup, *body, *init, *writes, *scratch;
} codes[] = {
    {"x86_64", "rdtsc\nlea rbx, [rbx + 2*rax + 1]",
     "mov {t:rax}, {r:rbx}\nshl {t}, 13\nxor {r}, {t}\nmov {t}, {r}\nshr {t}, 7\nxor {r}, {t}\nmov {t}, {r}\n"
     "shl {t}, 17\nxor {r}, {t}\ntest {r}, {k:rcx}\n%s 1f\nnop\n1:",
     "r: 8817264546332525, k: ", "r, t", "rdx"},
    {"aarch64", "mrs x3, cntvct_el0\nadd x2, x2, x3, lsl #1\nadd x2, x2, #1",
     "eor {r:x2}, {r}, {r}, lsl #13\neor {r}, {r}, {r}, lsr #7\neor {r}, {r}, {r}, lsl #17\ntst {r}, {k:x4}\n%s "
     "1f\nnop\n1:",
     "r: 8817264546332525, k: ", "r", "x3"},
};

static const struct value *ask(struct session *session, size_t which, const char *name, const char *jump,
                               const char *mask) {
    struct text body = {.arena = session->arena};
    const char *hole = strstr(codes[which].body, "%s");
    text_append(&body, codes[which].body, (size_t)(hole - codes[which].body));
    text_add(&body, jump);
    text_add(&body, hole + 2);
    text_add(&body, "\n");
    const struct timing timing = {
        .name = arena_printf(session->arena, "branch.%s", name),
        .body = body.data,
        .setup = codes[which].setup,
        .init = arena_printf(session->arena, "%s%s", codes[which].init, mask),
        .writes = codes[which].writes,
        .implicit = codes[which].scratch,
    };
    return session_value(session, &timing);
}

void branches_find(struct session *session) {
    const struct card_entry head = {.group = "branches",
                                    .name = "mispredict-penalty",
                                    .unit = "cycles",
                                    .how = "a branch decided by random numbers, against one that always goes one way"};
    size_t which = 0, n = sizeof codes / sizeof *codes;
    while (which < n && strcmp(codes[which].isa, session->recipe->isa) != 0)
        which++;
    if (which == n) {
        card_add_unknown(&session->card, &head, session_no_isa);
        return;
    }
    bool is_x86 = strcmp(session->recipe->isa, "x86_64") == 0;
    const char *zero = is_x86 ? "jz" : "b.eq", *not_zero = is_x86 ? "jnz" : "b.ne";
    const struct value *random = ask(session, which, "random", zero, "64"),
                       *taken = ask(session, which, "taken", zero, "0"),
                       *not_taken = ask(session, which, "not-taken", not_zero, "0");
    if (!random || !taken || !not_taken)
        return;
    if (!random->is_good || !taken->is_good || !not_taken->is_good) {
        card_add_unknown(&session->card, &head, random->why ? random->why : "a constant branch could not be measured");
        return;
    }
    // Half of the random branches are mispredicted.
    double base = (taken->cycles + not_taken->cycles) / 2,
           spread = fabs(taken->cycles - not_taken->cycles) / 2 + (taken->high - taken->low) / 2;
    double value = 2 * (random->cycles - base), low = 2 * (random->low - base - spread),
           high = 2 * (random->high - base + spread);
    if (value < 1)
        card_add_unknown(&session->card, &head,
                         "random branches cost no more than constant ones: nothing predicts here");
    else
        card_add_number(&session->card, &head, value, low, high, 0.01);
}
