// Private to this folder.
// Registers of x87, which its instructions name by their place in a stack: what reads and writes which.
#ifndef ANALYZER_CPU_RECIPE_X87_H
#define ANALYZER_CPU_RECIPE_X87_H

#include "analyzer/cpu/recipe.h"

// Adds the registers of x87 to what the block's recipes read and write. Where each pass leaves the stack fuller or
// emptier, what one pass leaves to the next is not followed; where something sets the whole stack, nothing is.
void recipe_x87_follow(const struct cpu *cpu, struct cpu_recipe *recipes, unsigned n);

#endif
