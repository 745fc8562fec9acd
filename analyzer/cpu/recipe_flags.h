// Private to this folder.
// Condition flags: LLVM has one register for all of them, x86's CPUs rename three groups apart.
#ifndef ANALYZER_CPU_RECIPE_FLAGS_H
#define ANALYZER_CPU_RECIPE_FLAGS_H

#include "analyzer/cpu/recipe.h"

enum { RECIPE_N_FLAGS = 3 }; // bits of enum cpu_flags

// Returns the unit of bit `which` of enum cpu_flags.
unsigned recipe_flags_unit(const struct cpu *cpu, unsigned which);

// Sets which flags the instruction reads and writes, where it does either. Of a recipe with its opcode and encoding.
void recipe_flags_find(const struct cpu *cpu, struct cpu_recipe *recipe);

// Of a recipe with its reads: when those of flags are wanted.
void recipe_flags_delay(const struct cpu *cpu, struct cpu_recipe *recipe);

#endif
