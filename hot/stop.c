#include "hot/stop.h"

#include "hot/stop_cell.h"
#include "hot/stop_count.h"

#include <math.h>
#include <string.h>

enum { FEWEST_STEPS = 100, GOOD_STEPS = 3000 };

// The latest place to which control comes for the first time.
static void find_exit(const struct trace *trace, struct stop *stop) {
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
}

// Whether an end is worth while beside another one, which disturbs the loop more, or is later.
static bool is_enough(const struct stop *stop, const struct stop *other) {
    enum { MANY_STEPS = 8000, SHARE = 2 };
    return stop->n_steps >= FEWEST_STEPS && (stop->n_steps >= MANY_STEPS || SHARE * stop->n_steps >= other->n_steps);
}

// Whether a counter is a small part of all that runs.
static bool is_rare(const struct stop *cell) {
    enum { COUNTER = 4, SHARE = 50 };
    return cell->count * COUNTER * SHARE <= cell->n_steps;
}

// Why the turns before a stop are not whole ones, one clause; null: they are. The last one may be cut a little.
static const char *find_cut(struct arena *arena, const struct trace *trace, const struct stop *stop) {
    static const double most_cut = 0.1; // of all steps
    if (trace_behind(trace, stop->n_steps - 1) == trace->state->head)
        return NULL;
    if (stop->turns < 2)
        return arena_printf(arena, "a turn takes more than the %zu instructions that are copied", stop->n_steps);
    size_t last = stop->n_steps - 1;
    while (trace->state->steps[last] != trace->state->head)
        last--;
    const double whole = (double)last / (double)(stop->turns - 1), cut = (double)(stop->n_steps - last);
    return fabs(whole - cut) > most_cut * (double)stop->n_steps
               ? arena_printf(arena, "only %llu turns are copied, of which the last one is cut",
                              (unsigned long long)stop->turns)
               : NULL;
}

const char *stop_choose(struct arena *arena, const struct trace *trace, struct stop *stop) {
    struct stop exit = {.n_steps = 0}, count = {.n_steps = 0}, cell = {.n_steps = 0};
    if (trace->n_steps < FEWEST_STEPS)
        return arena_printf(arena, "it runs for only %zu instructions%s", trace->n_steps,
                            trace->state->end == HOT_END_CALL ? " between calls of the system" : "");
    find_exit(trace, &exit);
    if (!stop_count_find(arena, trace, &count))
        count.n_steps = 0;
    if (!stop_cell_find(arena, trace, &cell))
        cell.n_steps = 0;
    if (!is_rare(&cell) && (exit.n_steps >= GOOD_STEPS || count.n_steps >= GOOD_STEPS))
        cell.n_steps = 0;
    if (is_enough(&exit, count.n_steps > cell.n_steps ? &count : &cell))
        *stop = exit;
    else if (is_enough(&count, &cell))
        *stop = count;
    else if (cell.n_steps >= FEWEST_STEPS)
        *stop = cell;
    else
        return "nothing ends it after a known number of turns";
    return stop->turns ? find_cut(arena, trace, stop) : "nothing ends it after a known number of turns";
}
