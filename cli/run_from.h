// Private to this folder.
// `cyclops run --from FILE`: compares measurements from elsewhere with models here. Does not execute anything of the
// file.
#ifndef CLI_RUN_FROM_H
#define CLI_RUN_FROM_H

#include "lab/lab.h"

// Prints a table, or JSON Lines, for each run in the file. Uses only the options on models. Sets `status` to 1 where a
// measurement did not end well.
bool run_from(struct arena *arena, const char *path, const struct lab_options *options, bool wants_json, int *status,
              struct fail *fail);

#endif
