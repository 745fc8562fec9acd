#include "hot/stop.h"

#include "hot/stop_cell.h"
#include "hot/stop_count.h"

#include <string.h>

enum { FEWEST_STEPS = 100, GOOD_STEPS = 3000 };

// The latest place to which control comes for the first time; rather one behind whole turns.
static void find_exit(const struct trace *trace, struct stop *stop) {
    bool is_whole = false;
    *stop = (struct stop){.kind = HOT_STOP_EXIT};
    if (trace_is_free(trace, trace->state->next, STOP_JUMP_BYTES, trace->n_steps)) {
        stop->exit = trace->state->next;
        stop->n_steps = trace->n_steps;
        is_whole = trace_is_whole(trace, trace->n_steps);
    }
    for (size_t i = 0; i < trace->n_insns; i++) {
        const struct trace_insn *insn = &trace->insns[i];
        if (!insn->first)
            continue;
        const bool is_whole_there = trace_is_whole(trace, insn->first);
        const bool is_better = is_whole_there == is_whole ? insn->first > stop->n_steps : is_whole_there;
        if (!is_better || !trace_is_free(trace, insn->insn->address, STOP_JUMP_BYTES, insn->first))
            continue;
        stop->exit = insn->insn->address;
        stop->n_steps = insn->first;
        is_whole = is_whole_there;
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

// Why the turns before a stop are not whole ones, one clause; null: they are.
static const char *find_cut(struct arena *arena, const struct trace *trace, const struct stop *stop) {
    if (trace_is_whole(trace, stop->n_steps))
        return NULL;
    return stop->turns < 2
               ? arena_printf(arena, "a turn takes more than the %zu instructions that are copied", stop->n_steps)
               : arena_printf(arena, "only %llu turns are copied, of which the last one is cut",
                              (unsigned long long)stop->turns);
}

// An end behind whole turns is the only one that has a value.
static void drop_cut(const struct trace *trace, struct stop *stops[], size_t n) {
    bool has_whole = false;
    for (size_t i = 0; i < n; i++)
        has_whole |= stops[i]->n_steps >= FEWEST_STEPS && trace_is_whole(trace, stops[i]->n_steps);
    for (size_t i = 0; has_whole && i < n; i++)
        if (stops[i]->n_steps && !trace_is_whole(trace, stops[i]->n_steps))
            stops[i]->n_steps = 0;
}

const char *stop_choose(struct arena *arena, const struct trace *trace, struct stop *stop) {
    struct stop exit = {.n_steps = 0}, count = {.n_steps = 0}, cell = {.n_steps = 0};
    if (trace->n_steps < FEWEST_STEPS)
        return arena_printf(arena, "it runs for only %zu instructions%s", trace->n_steps,
                            trace->state->end == HOT_END_CALL ? " between calls of the system or looks at its clock"
                                                              : "");
    find_exit(trace, &exit);
    if (!stop_count_find(arena, trace, &count))
        count.n_steps = 0;
    if (!stop_cell_find(arena, trace, &cell))
        cell.n_steps = 0;
    drop_cut(trace, (struct stop *[]){&exit, &count, &cell}, 3);
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
