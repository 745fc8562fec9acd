// Private to this folder.
// The single bounds of a block; see bounds.h. All are cycles per iteration.
#ifndef ANALYZER_PREDICT_BOUND_PARTS_H
#define ANALYZER_PREDICT_BOUND_PARTS_H

#include "analyzer/predict/addresses.h"
#include "analyzer/sim/core/plan.h"

struct bound_trace;

// What a part of the front end delivers: so many instructions in so many cycles, step by step; after the last step
// comes that at `repeats_from`. Filled where it is not null.
struct supply {
    struct supply_step {
        unsigned n_insns;
        double cycles;
    } * steps;
    unsigned n, repeats_from;
};

// Operations that wait for pipes, and how they lose turns there: see cpu_recipe.lost.
struct bound_crowd {
    uint64_t pipes;
    bool is_full; // there are always some that could go; else what waits for loads loses nothing
};

struct bound_code {
    const struct cpu *cpu;
    const struct bounds_request *request;
    struct cpu_recipe *recipes;
    unsigned n;       // instructions
    unsigned n_syncs; // uses of the stack pointer behind push or pop
    struct arena *arena;
    struct bound_trace *trace; // records a walk; null: nothing does
    // Records what each access of a walk meets, an array for each turn; null: nothing does.
    struct core_access **accesses;
    unsigned n_access_turns;
};

// Sets what bounds start from; the rest is empty. Fails where the block is empty, or the CPU lacks what an instruction
// needs.
bool bound_code_open(struct bound_code *code, struct arena *arena, const struct bounds_request *request,
                     struct fail *fail);
// All bounds; sets code->n_syncs.
void bounds_of_code(struct bound_code *code, struct bounds *bounds);
// Uses of the stack pointer behind a push or pop, in a turn that is not the first; 0: they cost nothing.
unsigned bound_count_syncs(const struct bound_code *code);
static inline bool recipe_reads(const struct cpu_recipe *recipe, unsigned unit) {
    for (unsigned i = 0; i < recipe->n_reads; i++)
        if (recipe->reads[i].unit == unit)
            return true;
    return false;
}

// Predecode. An instruction counts in the window of its last byte; one whose opcode byte lies in a window and which
// ends in a later one counts in both. Windows that instructions with a prefix that changes their length end in stall.
// Source: uops.info's measurements as written down by A. Abel and J. Reineke, "uiCA" (2021), and our own fits.
double bound_predecode(const struct bound_code *code, struct supply *supply);
// Rounds of decoders, until a round begins with the instruction that an earlier one began with.
double bound_decode(const struct bound_code *code, struct supply *supply);
// Lines of decoded instructions, filled greedily; or slots that these deliver, where that takes longer.
double bound_cache(const struct bound_code *code);
// The same, one by one; 0 and no step: the CPU's model does not have it. Copies of code begin anew at each multiple of
// a line's window.
double bound_cache_lines(const struct bound_code *code, unsigned copies, struct supply *supply);
double bound_cache_slots(const struct bound_code *code, struct supply *supply);
double bound_cache_immediates(const struct bound_code *code, struct supply *supply);
// Copies until one begins where the first did in its window of so many bytes.
unsigned bound_copies(const struct bound_code *code, unsigned size);
// The most that any union of pipe sets is kept busy. `crowd`: with turns that are lost; null: none is. `pipes`: that
// union.
double bound_ports(const struct bound_code *code, const struct bound_crowd *crowd, uint64_t *pipes);
// Its operations hold their pipes as much longer from now on.
void bound_lose_turns(struct bound_code *code, const struct bound_crowd *crowd);
// Of the loads of one turn, in order, n > 0; `memory`: bytes behind which it begins anew. Two of different lines whose
// addresses have the same bits 2 to 5 are not served together. Source: Intel's optimization manual, 3.6.1.3 of 2012.
double bound_paired_loads(const struct place *loads, unsigned n, uint64_t memory);

// What needs addresses: loads, stores, latency.
void bound_walk(struct bound_code *code, struct bounds *bounds);
// Chains that do not repeat, and what must retire before later ones may begin. All other bounds are there, and ranked.
// Set where it may be the largest.
void bound_buffer(struct bound_code *code, struct bounds *bounds);

#endif
