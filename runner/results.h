// Private to this folder.
// What a runner prints: a table for people, and the lines of a measurement file.
#ifndef RUNNER_RESULTS_H
#define RUNNER_RESULTS_H

#include "bench/host/host.h"
#include "runner/pack.h"

#include <stdio.h>

// Where the lines go.
struct results {
    struct arena *arena;
    FILE *file, *json; // null: not wanted
    const char *path;  // of the file
};

// `path`: a file to append to, null: none. Writes the header.
bool results_open(struct results *results, struct arena *arena, const char *path, bool wants_json,
                  const struct host *host, const struct bench *bench, struct fail *fail);
bool results_write(const struct results *results, const char *isa, const struct pack_program *program,
                   const struct bench_measurement *measurement, struct fail *fail);
bool results_close(struct results *results, struct fail *fail); // false: not everything could be written

// measurements[i] is of programs[i]; programs with a role, and those whose outcome is BENCH_STOPPED, are passed over.
void results_print(FILE *out, struct arena *arena, const struct pack *pack,
                   const struct bench_measurement *measurements);

#endif
