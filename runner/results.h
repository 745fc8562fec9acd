// Private to this folder.
// A runner's results: a table for people, and the lines of a measurement file.
#ifndef RUNNER_RESULTS_H
#define RUNNER_RESULTS_H

#include "bench/host/host.h"
#include "bench/record/record.h"
#include "runner/pack.h"

#include <stdio.h>

// Destinations of the lines.
struct results {
    struct arena *arena;
    FILE *file, *json; // null: not requested
    const char *path;  // path of `file`
};

// Opens the destinations and writes the header. `path`: file to append to; null: none. Fails as record_open does.
bool results_open(struct results *results, struct arena *arena, const char *path, bool wants_json,
                  const struct host *host, const struct bench *bench, struct fail *fail);
// The line of a program as it is written. Its texts live as long as the arena and the program.
struct record results_record(struct arena *arena, const char *isa, const struct pack_program *program,
                             const struct bench_measurement *measurement);
bool results_write(const struct results *results, const char *isa, const struct pack_program *program,
                   const struct bench_measurement *measurement, struct fail *fail);
bool results_close(struct results *results, struct fail *fail); // fails where not everything could be written

// Prints the table. measurements[i] belongs to programs[i]. Leaves out programs with a role, and those whose outcome is
// BENCH_STOPPED.
void results_print(FILE *out, struct arena *arena, const struct pack *pack,
                   const struct bench_measurement *measurements);

#endif
