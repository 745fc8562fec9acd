// Private to this folder.
// Units of AArch64's registers: what waits for another is found by these.
#ifndef ANALYZER_CPU_UNITS_AARCH64_H
#define ANALYZER_CPU_UNITS_AARCH64_H

#include "analyzer/cpu/cpu.h"

// Sets all that struct cpu knows of registers. Each x, z and p register is a unit, with what is a part of it; several
// of them that an instruction names together (q0_q1) are a tuple. Zero registers have no unit. The flags are one
// register, which all instructions read and write as a whole.
void units_number_aarch64(struct cpu *cpu, struct arena *arena);

#endif
