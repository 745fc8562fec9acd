// Private to this folder.
// What an earlier run of the same bundle, killed or ended by a budget, has left in its file. A runner has no reader of
// JSON: it compares its own lines as text.
#ifndef RUNNER_RESUME_H
#define RUNNER_RESUME_H

#include "bench/host/host.h"
#include "runner/pack.h"

// Sets are_taken[i] where the file's last line of program i, on this CPU and by this clock, needs no measuring: a
// stable value, or a fault, which would come again. Returns how many they are. A file that does not exist has none.
// Fails where it cannot be read.
bool resume_read(struct arena *arena, const char *path, const struct pack *pack, const struct host *host,
                 const struct bench *bench, bool *are_taken, size_t *n_taken, struct fail *fail);

#endif
