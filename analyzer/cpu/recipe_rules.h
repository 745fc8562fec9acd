// Private to this folder.
// What the rules of a CPU file state of an instruction.
#ifndef ANALYZER_CPU_RECIPE_RULES_H
#define ANALYZER_CPU_RECIPE_RULES_H

#include "analyzer/cpu/recipe.h"

// Whether a rule states a dependence that only the hardware makes: on what its results' registers held before.
bool recipe_rules_wait_for_result(const struct cpu *cpu, const struct cpu_recipe *recipe);
// Whether a rule states that it does not wait for this register of LLVM's.
bool recipe_rules_ignore(const struct cpu *cpu, const struct cpu_recipe *recipe, unsigned reg);

// Of a recipe that has the base's numbers: takes those that rules state in their place.
void recipe_rules_take(const struct cpu *cpu, struct cpu_recipe *recipe);

// Of a recipe with its latency: sources that a rule states to reach the result in less time than the others.
void recipe_rules_delay_sources(const struct cpu *cpu, struct cpu_recipe *recipe);

#endif
