// Private to this folder.
// Where the files of models are, by the names that users give: a path, or the name of an installed file.
#ifndef ANALYZER_MODEL_MODEL_FILES_H
#define ANALYZER_MODEL_MODEL_FILES_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>

// Whether the name is an installed file's: "overlay:NAME", "cpu:NAME".
bool model_name_is_installed(const char *name);

// Of a CPU file that is simulated, "core:NAME" or "core:PATH": the name without that.
bool model_name_is_simulated(const char *name);
const char *model_name_without_core(struct arena *arena, const char *name);
const char *model_own_prefix(bool is_simulated); // of the names of CPU files

// The path of a name's file. Null and a failure where no file of that name is installed.
const char *model_path_of(struct arena *arena, const char *name, struct fail *fail);

#endif
