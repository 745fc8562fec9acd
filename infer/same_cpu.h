// Whether measurements are of the CPU that a CPU file is of: numbers of one CPU on a file of another would be believed.
#ifndef INFER_SAME_CPU_H
#define INFER_SAME_CPU_H

#include "analyzer/cpu/cpu.h"

// `machine`: what was measured, as results have it for people: "AMD EPYC (family 26, model 2, stepping 1), …". True
// where it names no family, as a simulated CPU, or the file has no identity.
bool same_cpu_is(const char *machine, const struct cpu *cpu);
// Whether two such texts name one CPU: by family and model; of simulated CPUs, by all in front of the noise.
bool same_cpu_names(const char *one, const char *other);
// Fails where it is not. `what`: "the card was".
bool same_cpu_check(const char *what, const char *machine, const struct cpu *cpu, struct fail *fail);

#endif
