// Private to this folder.
// What an earlier run of the same bundle, killed or ended by a budget, has left in its file. A runner has no reader of
// JSON: it compares its own lines as text.
#ifndef RUNNER_RESUME_H
#define RUNNER_RESUME_H

#include "bench/host/host.h"
#include "runner/pack.h"

// What the file holds of each program, by the file's last line of it, on this CPU and by this clock.
struct resume {
    bool *are_taken; // needs no measuring: a stable value, or a fault, which would come again
    double *cycles;  // NAN: it has no value
    size_t n_taken;
};

// A file that does not exist holds nothing. Fails where it cannot be read.
bool resume_read(struct arena *arena, const char *path, const struct pack *pack, const struct host *host,
                 const struct bench *bench, struct resume *resume, struct fail *fail);

#endif
