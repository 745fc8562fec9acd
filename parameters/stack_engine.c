// The stack engine: a push moves the stack pointer in front of the schedulers. On some CPUs, what reads the pointer
// behind a push needs a slot more, which brings its register up to date.
#include "bench/whole.h"
#include "parameters/experiments.h"

#include "parameters/table.h"

#include <math.h>
#include <string.h>

static const struct use {
    const char *name, *of_stack, *of_other; // the same of another register
} uses[] = {
    {"move", "mov {x:r64}, rsp\n", "mov {x:r64}, {s:r64}\n"},
    {"lea", "lea {x:r64}, [rsp + 8]\n", "lea {x:r64}, [{s:r64} + 8]\n"},
    {"load", "mov {x:r64}, [rsp + 8]\n", "mov {x:r64}, [{m:r64} + 8]\n"},
    {"store", "mov [rsp - 8], {s:r64}\n", "mov [{m:r64} + 8], {s:r64}\n"},
    {"add", "add rsp, 8\nsub rsp, 8\n", "add {x:r64}, 8\nsub {x}, 8\n"},
};
enum { N_USES = sizeof uses / sizeof *uses, GROUPS = 3 };

static const struct value *ask(struct session *session, const struct slots *slots, const struct use *use,
                               bool is_other) {
    struct text body = {.arena = session->arena};
    text_addf(&body, "push {s:r64}\n%spop {y:r64}\n", is_other ? use->of_other : use->of_stack);
    for (unsigned i = 0; i < GROUPS * (unsigned)slots->width; i++)
        recipe_add(&body, session->recipe->lines[slots->filler], i, "p");
    const struct timing timing = {.name = arena_printf(session->arena, "stack-%s-%s.%s", use->name,
                                                       is_other ? "other" : "stack",
                                                       slots->filler == LINE_ZERO ? "zeroings" : "nops"),
                                  .body = body.data,
                                  .writes = strstr(body.data, "{x:") ? "x, y" : "y"};
    return session_value(session, &timing);
}

void stack_engine_find(struct session *session, const struct slots *slots, const char *why) {
    for (unsigned i = 0; i < N_USES; i++) {
        const struct card_entry head = parameter_head(session->arena, STACK_SYNC, uses[i].name);
        if (why) {
            card_add_unknown(&session->card, &head, why);
            continue;
        }
        const struct value *of_stack = ask(session, slots, &uses[i], false),
                           *of_other = ask(session, slots, &uses[i], true);
        if (!of_stack || !of_other)
            continue;
        const struct value more = value_less(of_stack, of_other, slots->width);
        double whole = round(more.cycles);
        if (value_is_usable(&more) && whole >= 0 && more.low > whole - WHOLE_PAIR && more.high < whole + WHOLE_PAIR) {
            card_add_whole(&session->card, &head, fabs(whole));
            session->card.entries[session->card.n_entries - 1].why =
                whole > 0 ? "a slot brings the pointer up to date" : "no slot more";
        } else {
            card_add_unknown(
                &session->card, &head,
                value_is_usable(&more)
                    ? arena_printf(session->arena, "%.2f to %.2f slots: not one whole number", more.low, more.high)
                    : more.why);
        }
    }
}
