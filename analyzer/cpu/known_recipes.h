// Private to this folder.
// Recipes of instructions that were met before: what follows from an instruction alone is found once.
#ifndef ANALYZER_CPU_KNOWN_RECIPES_H
#define ANALYZER_CPU_KNOWN_RECIPES_H

#include "analyzer/cpu/recipe.h"

struct known_recipes *known_recipes_open(struct arena *arena);
// As cpu_recipe_make does it. Of the recipe's lists only what it has is set.
void known_recipe_make(const struct cpu *cpu, const struct insn *insn, struct cpu_recipe *recipe);

#endif
