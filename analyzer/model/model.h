// A CPU as it is simulated, by the name that users give it: one of LLVM's ("znver4"), one of a version of LLVM
// ("llvm-19/znver4"), an overlay file ("my.yaml", or "overlay:cortex-a8" for one that is installed), or a CPU file of
// ours ("my.cpu.yaml", or "cpu:skylake" for one that is installed; "core:my.cpu.yaml" and "core:skylake" where its core
// shall be simulated, and not only its bounds found). Opening it, and turning code into instructions as
// it means them. Simulates nothing.
#ifndef ANALYZER_MODEL_MODEL_H
#define ANALYZER_MODEL_MODEL_H

#include "analyzer/cpu/cpu.h"
#include "analyzer/model/backend.h"
#include "analyzer/sched/overlay.h"

struct model {
    const struct backend *backend; // null: the machine has no ISA, and its instructions only names (overlay_insn)
    struct backend_cpu *cpu;       // null likewise
    struct overlay *overlay;       // null: as LLVM has it
    struct cpu *own;               // our model, of which all else is the base; null: there is only the base
    bool is_simulated;             // `own`: predictions are by its core, not by its bounds
    const struct machine *machine; // lives as long as the model
    // What decides its numbers, to tell it from another one, also of the same name: LLVM's version and CPU, the
    // features that were asked for, the hash of an overlay's file.
    const char *identity;
    const char *title;   // for a table's heading: "llvm-22/znver4", "overlay:cortex-a8"
    const char *missing; // why there is no such CPU, and all else is null: "not in LLVM 19"; null: it is open
};

// Whether a name means an overlay.
bool model_is_overlay(const char *name);

// Whether a name means a CPU file of ours.
bool model_is_cpu_file(const char *name);
// Sets `names` to those of the user's ($XDG_CONFIG_HOME/cyclops/cpus, or ~/.config/cyclops/cpus), then those that are
// installed: "cpu:skylake". Returns their number.
size_t model_list_cpu_files(struct arena *arena, const char *const **names);

// Reads one of these, without the model that it is based on. Null and a failure where it is wrong. For cpu_close.
struct cpu *model_read_cpu_file(struct arena *arena, const char *name, struct fail *fail);
// The first of these that is of such a CPU, as /proc/cpuinfo has it; null: no file is. A file whose identity cannot be
// read is of no CPU. What else a file states is not read.
const char *model_cpu_file_of(struct arena *arena, const char *vendor, unsigned family, unsigned model);

// Sets `is_of_cpu`: the file changes LLVM's model of options->cpu, which is of the same family of ISAs. Fails where it
// cannot be read, or is a machine by itself. `llvm`: as in model_open.
bool model_overlay_is_of(struct arena *arena, const char *path, const char *llvm, const struct backend_options *options,
                         bool *is_of_cpu, struct fail *fail);

// Opens options->cpu, an overlay where that names one. With options->overlay, options->cpu is the CPU whose numbers are
// changed, in place of the file's. A triple that the options give must be of the overlay's family of ISAs, such as all
// of x86. `llvm`: as in backend_load; a version that the CPU's name holds goes before it. What the model holds lives as
// long as `arena`.
bool model_open(struct model *model, struct arena *arena, const char *llvm, const struct backend_options *options,
                struct fail *fail);
// The same of the text of a CPU file, for x86-64. `name`: of it, for messages.
bool model_open_cpu_text(struct model *model, struct arena *arena, const char *llvm, const char *name, const char *text,
                         struct fail *fail);
// The same CPU in several versions of LLVM, one model each. Those that do not know it are `missing`; fails where none
// does. `models`: room for `n_llvm`, at least one.
bool model_open_versions(struct model *models, struct arena *arena, const char *const *llvm, size_t n_llvm,
                         const struct backend_options *options, struct fail *fail);
// Whether a name holds the version of LLVM: "llvm-19/znver4".
bool model_names_version(const char *name);
// Returns the name without the version, and sets `llvm` to that; a name that holds none stays as it is.
const char *model_split_version(struct arena *arena, const char *name, const char **llvm);
// As files name it: "llvm-22/znver4", "cpu:skylake". The model is open.
const char *model_name(const struct model *model);
void model_close(struct model *model); // also where it was not opened

// As in struct backend. Results live as long as both `arena` and the model.
bool model_describe_bytes(const struct model *model, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                          struct block *block, struct fail *fail);
bool model_describe_part(const struct model *model, struct arena *arena, const uint8_t *code, size_t offset,
                         size_t length, struct block *block, struct fail *fail);
bool model_describe_text(const struct model *model, struct arena *arena, const char *name, const char *text,
                         struct backend_source *source, struct fail *fail);

// The text as LLVM's assembler reads it for a CPU of that triple: one of x86 without '%' is in Intel's syntax.
const char *model_in_syntax(struct arena *arena, const char *triple, const char *text);

#endif
