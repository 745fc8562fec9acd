// The pipes of a CPU file as a machine of their own: what views of its core have their resources by.
#ifndef ANALYZER_CPU_PIPES_H
#define ANALYZER_CPU_PIPES_H

#include "analyzer/cpu/cpu.h"

// "SKLPort0": the name of one pipe, as below.
const char *cpu_pipe_name(struct arena *arena, const struct cpu *cpu, uint64_t pipe);

// Those of the base and the file's own ports. `cpu` is bound.
uint64_t cpu_all_pipes(const struct cpu *cpu);

// Names of the base's resources that are these pipes, the fewest that are found: "SKLPort06", "SKLPort0+SKLPort15"; of
// the file's own ports; and of single pipes of a resource: "SBPort23.1". A rule's `pipes` take them.
const char *cpu_pipes_name(struct arena *arena, const struct cpu *cpu, uint64_t pipes);

// "SKLPort23, SKLPort0156 2": what holds which pipes, for how long where that is not a cycle; "": nothing is held.
const char *cpu_uses_name(struct arena *arena, const struct cpu *cpu, const struct cpu_use *uses, unsigned n);

// A copy of the base's machine, with other resources: number p + 1 is pipe p of struct cpu, has one unit, and is called
// as its resource of the base: "SKLPort0"; one of several pipes of a resource "SBPort23.1". A port of the file has its
// own name. Pipes that no resource has are called "". Lives as long as the arena and the base. `cpu` is bound.
const struct machine *cpu_pipe_machine(struct arena *arena, const struct cpu *cpu);

#endif
