// Predictions by CPU files.
#include "library/internal.h"

#include "analyzer/cpu/recipe.h"
#include "analyzer/predict/bounds_words.h"
#include "analyzer/predict/core_simulation.h"

#include <math.h>

// As many copies stand one after the other as 'cyclops run' would time: about so many instructions, in so many bytes.
static unsigned copies_of(const struct block *block) {
    enum { MOST_INSNS = 200, MOST_BYTES = 1024 };
    unsigned n_bytes = block_bytes(block), by_insns = MOST_INSNS / block->n_insns,
             by_bytes = n_bytes > 0 ? MOST_BYTES / n_bytes : by_insns,
             copies = by_insns < by_bytes ? by_insns : by_bytes;
    return copies > 0 ? copies : 1;
}

struct bounds_request own_way(const struct cyclops_block *block) {
    bool is_loop = block->block.insns[block->block.n_insns - 1].is_branch;
    return (struct bounds_request){
        .cpu = block->machine->model.own,
        .block = &block->block,
        .is_loop = is_loop,
        .copies = is_loop ? 0 : copies_of(&block->block),
    };
}

// Cycles between two such instructions, by its pipes; 0: it holds none, or the CPU does not execute it.
static double rthroughput_of(const struct cpu *cpu, struct insn *insn) {
    const struct block alone = {.name = "", .insns = insn, .n_insns = 1};
    const struct bounds_request request = {.cpu = cpu, .block = &alone};
    struct bounds bounds;
    struct fail fail = {0};
    return bounds_find(&request, &bounds, &fail) ? bounds.cycles[BOUND_PORTS] : 0;
}

struct library_cost own_cost(const struct cpu *cpu, const struct insn *insn) {
    struct insn alone = *insn;
    struct cpu_recipe recipe;
    cpu_recipe_make(cpu, insn, &recipe);
    return (struct library_cost){
        .uops = recipe.slots,
        .latency = (unsigned)ceil(recipe.latency + recipe.load_latency),
        .rthroughput = rthroughput_of(cpu, &alone),
    };
}

bool own_simulate(const struct cyclops_block *block, uint64_t iterations, struct pipeline_result *result,
                  struct fail *fail) {
    const struct bounds_request request = own_way(block);
    const struct core_simulation simulation = {.iterations = iterations};
    return core_simulate(&request, &simulation, result, fail);
}

bool own_explain(struct arena *arena, const struct cyclops_block *block, struct cyclops_prediction *prediction,
                 struct fail *fail) {
    const struct bounds_request request = own_way(block);
    struct bounds_explained *found = ARENA_NEW(arena, struct bounds_explained);
    if (!bounds_explain(arena, &request, found, fail))
        return false;
    const struct bounds_words words = {request.cpu, request.block, found};
    const char **notes;
    prediction->limit = bounds_largest_sentence(arena, &words);
    prediction->limit_cycles = found->bounds.most;
    prediction->next_limit = bounds_next_sentence(arena, &words);
    prediction->next_limit_cycles = found->bounds.cycles[found->bounds.next];
    prediction->n_notes = (unsigned)bounds_list_notes(arena, &words, &notes);
    prediction->notes = notes;
    return true;
}
