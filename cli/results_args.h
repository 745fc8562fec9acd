// What the commands that read measurements have in common: where these were made, and models to hold against them.
#ifndef CLI_RESULTS_ARGS_H
#define CLI_RESULTS_ARGS_H

#include "base/arena.h"
#include "base/fail.h"
#include "survey/table/table.h"

// Where a survey's folder, or a measurement file, was made.
bool results_find_origin(struct arena *arena, const char *path, struct table_origin *origin, struct fail *fail);

// Sets lab_args.options to the ISA of the measurements and one model: that of --mcpu, or of the CPU that was measured.
// Fails (FAIL_INPUT) where there are several, or that CPU is not known.
bool results_choose_model(struct arena *arena, const char *path, struct fail *fail);

// Fails (FAIL_INPUT) where an output cannot be written, or is a file of a survey. Null: there is no output.
bool results_can_write(struct arena *arena, const char *path, struct fail *fail);

#endif
