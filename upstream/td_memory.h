// Private to this folder.
// Loads and stores as LLVM's resources. A CPU file says by parameters how many of them there are in a cycle; a
// ProcResource of so many units, each held for a cycle by an access, says the same.
#ifndef UPSTREAM_TD_MEMORY_H
#define UPSTREAM_TD_MEMORY_H

#include "analyzer/cpu/recipe.h"
#include "base/arena.h"

enum td_access { TD_LOADS, TD_VECTOR_LOADS, TD_STORES, TD_ACCESSES, TD_N_ACCESSES };

struct td_memory {
    struct td_rate {
        uint64_t pipe;      // a bit that no pipe of the CPU file has; 0: there is no resource of it
        unsigned units;     // accesses in a cycle
        unsigned queue;     // entries, where the resource has the queue of these accesses; 0: it has not
        const char *source; // of the units
    } rates[TD_N_ACCESSES];
    bool states[CPU_N_PARAMETERS]; // parameters that the resources say, or that limit nothing beside these
};

void td_memory_of(struct arena *arena, const struct cpu *cpu, struct td_memory *memory);
// Cycles that an instruction holds each resource.
void td_memory_cycles(const struct cpu_recipe *recipe, unsigned cycles[TD_N_ACCESSES]);
const char *td_memory_name(enum td_access access); // "Load"
// "loads-per-cycle: measured, card: loads": a comment beside what a parameter gives.
const char *td_source_of(struct arena *arena, const struct cpu *cpu, enum cpu_parameter parameter);

#endif
