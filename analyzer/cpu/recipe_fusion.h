// Private to this folder.
// Which instructions decode into one operation with the conditional jump behind them.
#ifndef ANALYZER_CPU_RECIPE_FUSION_H
#define ANALYZER_CPU_RECIPE_FUSION_H

#include "analyzer/cpu/recipe.h"

// Of a recipe with its opcode and encoding: which jumps it can fuse with.
enum cpu_fuses recipe_fusion_of(const struct cpu *cpu, const struct cpu_recipe *recipe);

// Whether `jump`, which stands behind `first`, fuses with it.
bool recipe_fuses_with(const struct cpu_recipe *first, const struct cpu_recipe *jump);

#endif
