// Private to this folder.
// Whose numbers an instruction's time stands on.
#ifndef ANALYZER_CPU_RECIPE_TRUST_H
#define ANALYZER_CPU_RECIPE_TRUST_H

#include "analyzer/cpu/recipe.h"

// Sets `trusts` and `is_by_base` of a recipe that is complete otherwise; what rules state is there already.
void recipe_settle_trusts(const struct cpu *cpu, struct cpu_recipe *recipe);

#endif
