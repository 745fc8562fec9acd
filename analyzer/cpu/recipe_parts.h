// Private to this folder.
// Which of its sources each result of an instruction waits for.
#ifndef ANALYZER_CPU_RECIPE_PARTS_H
#define ANALYZER_CPU_RECIPE_PARTS_H

#include "analyzer/cpu/recipe.h"

// Of a recipe that has its reads and writes, and no number of a rule yet. Results that do not wait for every source
// become parts.
void recipe_part_results(const struct cpu *cpu, struct cpu_recipe *recipe);

// The same of AArch64: the register of an address that is moved on waits for nothing but the address.
void recipe_part_aarch64(struct cpu_recipe *recipe);

#endif
