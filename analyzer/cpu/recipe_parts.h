// Private to this folder.
// Which of its sources each result of an instruction waits for.
#ifndef ANALYZER_CPU_RECIPE_PARTS_H
#define ANALYZER_CPU_RECIPE_PARTS_H

#include "analyzer/cpu/recipe.h"

// Of a recipe that has its reads and writes, and no number of a rule yet. Results that do not wait for every source
// become parts.
void recipe_part_results(const struct cpu *cpu, struct cpu_recipe *recipe);

#endif
