// Private to this folder.
// The units that an instruction reads and writes, and when, by the base's numbers.
#ifndef ANALYZER_CPU_RECIPE_OPERANDS_H
#define ANALYZER_CPU_RECIPE_OPERANDS_H

#include "analyzer/cpu/recipe.h"

// Adds a read that is none of LLVM's operands. `early`: as in struct cpu_read. Without a unit it adds none.
void recipe_add_read(struct cpu_recipe *recipe, unsigned unit, bool is_address, double early);

// Of a recipe that has its flags, its accesses and its change of the stack pointer. Loads get the base's latency of a
// load where its reads state one.
void recipe_take_reads(const struct cpu *cpu, struct cpu_recipe *recipe);
// Of a recipe that has its reads, too. Adds the reads of results that merge with what their register held before.
void recipe_take_writes(const struct cpu *cpu, struct cpu_recipe *recipe);

// Whether the write is of a part of a general register, whose rest stays as it was.
bool recipe_writes_part(const struct cpu *cpu, const struct insn_write *write);

#endif
