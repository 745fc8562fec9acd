// CPU files as text for people, and the beginning of a new one.
#ifndef REPORT_CPU_FILE_H
#define REPORT_CPU_FILE_H

#include "analyzer/cpu/cpu.h"
#include "lab/cpu_forms.h"

#include <stdio.h>

void cpu_file_print(struct arena *arena, const struct cpu *cpu, FILE *out, bool colour);
// "AuthenticAMD 25 16-31, AuthenticAMD 25 97": vendor, family and models; "": the file does not say.
const char *cpu_file_identities(struct arena *arena, const struct cpu *cpu);
// All that two files state differently: names and numbers of the machine first, then rules for forms, by what they
// match.
void cpu_file_print_diff(struct arena *arena, const struct cpu *before, const struct cpu *after, FILE *out,
                         bool colour);
// What that comes to for single forms.
void cpu_file_print_form_diff(struct arena *arena, const struct cpu *before, const struct cpu *after,
                              const struct cpu_form_change *changes, size_t n, FILE *out, bool colour);
// The text of a CPU file on that base, with what LLVM states of the machine.
const char *cpu_file_begin(struct arena *arena, const char *name, const char *base, const struct machine *machine);

#endif
