#include "hot/stop.h"

#include "hot/stop_count.h"

#include <string.h>

enum { FEWEST_STEPS = 100, GOOD_STEPS = 3000 };

// The latest place to which control comes for the first time.
static bool find_exit(const struct trace *trace, struct stop *stop) {
    *stop = (struct stop){.kind = HOT_STOP_EXIT};
    if (trace_is_free(trace, trace->state->next, STOP_JUMP_BYTES, trace->n_steps)) {
        stop->exit = trace->state->next;
        stop->n_steps = trace->n_steps;
    }
    for (size_t i = 0; i < trace->n_insns; i++) {
        const struct trace_insn *insn = &trace->insns[i];
        if (insn->first > stop->n_steps && trace_is_free(trace, insn->insn->address, STOP_JUMP_BYTES, insn->first)) {
            stop->exit = insn->insn->address;
            stop->n_steps = insn->first;
        }
    }
    stop->turns = trace->heads[stop->n_steps];
    return stop->n_steps > 0;
}

const char *stop_choose(struct arena *arena, const struct trace *trace, struct stop *stop) {
    struct stop exit, count;
    if (trace->n_steps < FEWEST_STEPS)
        return arena_printf(arena, "it runs for only %zu instructions%s", trace->n_steps,
                            trace->state->end == HOT_END_CALL ? " between calls of the system" : "");
    bool has_exit = find_exit(trace, &exit);
    size_t wanted = trace->n_steps / 2 < GOOD_STEPS ? trace->n_steps / 2 : GOOD_STEPS;
    if (has_exit && exit.n_steps >= wanted) {
        *stop = exit;
        return NULL;
    }
    bool has_count = stop_count_find(arena, trace, &count);
    if (has_count && (!has_exit || count.n_steps >= exit.n_steps))
        *stop = count;
    else if (has_exit && exit.n_steps >= FEWEST_STEPS)
        *stop = exit;
    else
        return "nothing ends it after a known number of turns";
    return NULL;
}
