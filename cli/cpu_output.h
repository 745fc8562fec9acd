// The CPU file that a command makes: its name, and what it begins with.
#ifndef CLI_CPU_OUTPUT_H
#define CLI_CPU_OUTPUT_H

#include "analyzer/model/model.h"

extern const char cpu_output_suffix[]; // ".cpu.yaml"

// Fails where there is no such option, or the file is there already and may not be replaced.
bool cpu_output_can_write(const char *output, bool is_forced, struct fail *fail);
// "zen5" of "out/zen5.cpu.yaml"
const char *cpu_output_name(struct arena *arena, const char *output);
// The base as the new file names it: an overlay's file by its whole path; of this CPU, what that is.
const char *cpu_output_base(struct arena *arena, const char *cpu, const struct machine *machine);
// The path of what a CPU file was made from: files have it from their own folder.
const char *cpu_evidence_path(struct arena *arena, const struct cpu *cpu, const char *path);
// The text that a file on this base begins with. `base`: a model of LLVM's, an overlay, or a CPU file. Null: a failure.
const char *cpu_output_base_text(struct arena *arena, const char *base, const char *name, const char *llvm,
                                 struct fail *fail);

#endif
