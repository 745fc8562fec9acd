#include "analyzer/predict/bounds_explain.h"

#include "analyzer/predict/bound_parts.h"
#include "analyzer/predict/bound_trace.h"

#include <math.h>

static bool fills_pipes(const struct cpu_recipe *recipe, uint64_t pipes) {
    for (unsigned u = 0; u < recipe->n_uses; u++)
        if (!(recipe->uses[u].pipes & ~pipes))
            return true;
    return false;
}

// Whether an instruction takes part in a bound. In a chain: see mark_chain.
static bool is_maker(const struct bounds_explained *explained, const struct cpu_recipe *recipe, enum bound_kind kind) {
    switch (kind) {
    case BOUND_DISPATCH:
        return recipe->slots > 0 && (recipe->is_vector || !explained->is_of_vectors);
    case BOUND_RETIRE:
    case BOUND_BUFFER:
    case BOUND_CACHE:
        return recipe->slots > 0;
    case BOUND_PREDECODE:
    case BOUND_DECODE:
        return true;
    case BOUND_PORTS:
        return fills_pipes(recipe, explained->bounds.pipes);
    case BOUND_LOADS:
        return recipe->n_loads > 0 || (recipe->n_stores > 0 && explained->bounds.counts_stores);
    case BOUND_STORES:
        return recipe->n_stores > 0;
    case BOUND_LATENCY:
    case BOUND_N:
        break;
    }
    return false;
}

static void mark_chain(struct bounds_explained *explained) {
    for (unsigned i = 0; i < explained->n_chain; i++)
        explained->parts[BOUND_LATENCY].is_maker[explained->chain[i].insn] = true;
}

static void fill_parts(struct arena *arena, struct bounds_explained *explained) {
    for (unsigned kind = 0; kind < BOUND_N; kind++) {
        struct bound_part *part = &explained->parts[kind];
        part->cycles = explained->bounds.cycles[kind];
        part->is_maker = ARENA_ARRAY(arena, bool, explained->n_insns);
        for (unsigned other = 0; other < BOUND_N; other++)
            part->without = other == kind ? part->without : fmax(part->without, explained->bounds.cycles[other]);
        for (unsigned i = 0; i < explained->n_insns; i++)
            part->is_maker[i] = is_maker(explained, &explained->recipes[i], (enum bound_kind)kind);
    }
    mark_chain(explained);
}

// Of the newest turn.
static const int *list_forwards(struct arena *arena, const struct bound_trace *trace, unsigned n) {
    int *from = ARENA_ARRAY(arena, int, n);
    for (unsigned i = trace->n_events; i-- > 0 && trace->events[i].step + n >= trace->n_steps;) {
        const struct bound_event *event = &trace->events[i];
        from[event->step % n] = event->from_store == TRACE_NONE ? -1 : (int)(trace->events[event->from_store].step % n);
    }
    return from;
}

bool bounds_explain(struct arena *arena, const struct bounds_request *request, struct bounds_explained *explained,
                    struct fail *fail) {
    *explained = (struct bounds_explained){.n_insns = request->block->n_insns};
    struct bound_code code;
    if (!bound_code_open(&code, arena, request, fail))
        return false;
    code.trace = bound_trace_open(arena, request->cpu->n_units);
    bounds_of_code(&code, &explained->bounds);
    explained->recipes = code.recipes;
    explained->is_of_vectors = bounds_are_of_vectors(request->cpu, &explained->bounds);
    explained->n_syncs = code.n_syncs;
    bound_trace_chain(code.trace, code.n, explained->bounds.cycles[BOUND_LATENCY], explained);
    explained->loads_from = list_forwards(arena, code.trace, code.n);
    fill_parts(arena, explained);
    return true;
}
