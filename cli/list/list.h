// Private to this folder.
// What `cyclops list` prints, a function for each subject, and the options that they share.
#ifndef CLI_LIST_LIST_H
#define CLI_LIST_LIST_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/options.h"
#include "gen/gen.h"

#include <stdbool.h>
#include <stddef.h>

// Versions of LLVM that one list holds, at most.
enum { LIST_MOST_VERSIONS = 16 };

// Options of the one command that this process runs.
extern struct list_args {
    const char *isa, *kernels, *cpu;
    struct option_list llvms, vectors;
    bool json, run;
} list_args;

// A CPU of LLVM's, and the versions that have a model of it.
struct listed_model {
    const char *name;
    const char *schedules_as; // first of the CPUs with the same model, in the first of the versions; null: unknown
    bool is_host;             // this machine's CPU
    unsigned versions[LIST_MOST_VERSIONS];
    size_t n_versions;
};

struct listed_models {
    struct listed_model *items; // in the order of their names
    size_t n_items;
};

// Finds the models of these versions of LLVM (as in backend_load).
bool list_find_models(struct arena *arena, const struct isa *isa, const char *const *llvms, size_t n_llvms,
                      struct listed_models *models, struct fail *fail);

// `cyclops list models`, `cyclops list changes`.
bool list_models(struct arena *arena, struct fail *fail);
bool list_changes(struct arena *arena, struct fail *fail);
// `cyclops list forms [PATTERN...]`
bool list_forms(struct arena *arena, const struct operands *operands, struct fail *fail);

#endif
