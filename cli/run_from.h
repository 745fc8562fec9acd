// Private to this folder.
// `cyclops run --from FILE`: measurements that were made elsewhere, held against models here. Nothing of the file is
// executed.
#ifndef CLI_RUN_FROM_H
#define CLI_RUN_FROM_H

#include "lab/lab.h"

// Prints a table, or JSON Lines, for each run in the file. Of the options, the models' are looked at. `status` becomes
// 1 where a measurement did not end well.
bool run_from(struct arena *arena, const char *path, const struct lab_options *options, bool wants_json, int *status,
              struct fail *fail);

#endif
