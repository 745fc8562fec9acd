#include "hot/usual_turn.h"

#include "hot/trace.h"

#include <stdlib.h>
#include <string.h>

struct turn {
    size_t first, n; // steps
    uint64_t hash;   // of their addresses
};

static int compare(const void *a, const void *b) {
    const struct turn *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

// Turns that are complete: they begin at the head, and the head follows.
static struct turn *split(struct arena *arena, const struct hot_state *state, size_t n_steps, size_t *n) {
    struct turn *turns = NULL;
    *n = 0;
    for (size_t i = 0, first = 0; i < n_steps; i++) {
        const uint64_t next = i + 1 < state->n_steps ? state->steps[i + 1] : state->next;
        if (next != state->head)
            continue;
        struct turn turn = {.first = first, .n = i + 1 - first, .hash = 0};
        for (size_t k = first; k <= i; k++)
            turn.hash = (turn.hash ^ state->steps[k]) * 0x100000001b3U;
        *ARENA_ADD(arena, turns, *n) = turn;
        first = i + 1;
    }
    return turns;
}

// The first of the turns that are like most others.
static struct turn find_most(struct turn *turns, size_t n, size_t *n_alike) {
    struct turn most = turns[0];
    *n_alike = 0;
    qsort(turns, n, sizeof *turns, compare);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && turns[end].hash == turns[first].hash;)
            end++;
        if (end - first > *n_alike) {
            *n_alike = end - first;
            most = turns[first];
        }
    }
    return most;
}

const char *usual_turn_find(struct arena *arena, const struct decoder *decoder, const struct hot_state *state,
                            size_t n_steps, struct usual_turn *turn) {
    size_t n, n_alike, n_bytes = 0;
    *turn = (struct usual_turn){.share = 0};
    struct turn *turns = split(arena, state, n_steps, &n);
    if (!n)
        return "no whole turn was recorded";
    struct trace trace;
    const char *why = trace_open(&trace, arena, decoder, state);
    if (why)
        return why;
    const struct turn most = find_most(turns, n, &n_alike);
    for (size_t i = 0; i < most.n; i++)
        n_bytes += trace_at(&trace, most.first + i)->insn->n_bytes;
    uint8_t *bytes = ARENA_ARRAY(arena, uint8_t, n_bytes + 1);
    size_t at = 0;
    turn->is_plain = true;
    for (size_t i = 0; i < most.n; i++) {
        const struct book_insn *insn = trace_at(&trace, most.first + i)->insn;
        memcpy(bytes + at, insn->bytes, insn->n_bytes);
        at += insn->n_bytes;
        const bool is_behind = state->steps[most.first + i] + insn->n_bytes == trace_behind(&trace, most.first + i);
        turn->is_plain &= is_behind == (i + 1 < most.n);
    }
    turn->bytes = bytes;
    turn->n_bytes = n_bytes;
    turn->share = (double)n_alike / (double)n;
    return NULL;
}
