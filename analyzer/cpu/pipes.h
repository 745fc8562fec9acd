// The pipes of a CPU file as a machine of their own: what views of its core have their resources by.
#ifndef ANALYZER_CPU_PIPES_H
#define ANALYZER_CPU_PIPES_H

#include "analyzer/cpu/cpu.h"

// "SKLPort0": the name of one pipe, as below.
const char *cpu_pipe_name(struct arena *arena, const struct cpu *cpu, uint64_t pipe);

// A copy of the base's machine, with other resources: number p + 1 is pipe p of struct cpu, has one unit, and is called
// as its resource of the base: "SKLPort0"; one of several pipes of a resource "SBPort23.1". A port of the file has its
// own name. Pipes that no resource has are called "". Lives as long as the arena and the base. `cpu` is bound.
const struct machine *cpu_pipe_machine(struct arena *arena, const struct cpu *cpu);

#endif
