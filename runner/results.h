// What a runner prints: a table for people, and the lines of a measurement file as bench/record.h owns them (a test
// reads them with its reader). jansson is not there to write them with: for several ISAs it cannot be had as a static
// library.
#ifndef RUNNER_RESULTS_H
#define RUNNER_RESULTS_H

#include "bench/host.h"
#include "runner/pack.h"

#include <stdio.h>

void results_write_header(FILE *out, struct arena *arena, const struct host *host, const struct bench *bench);
void results_write(FILE *out, struct arena *arena, const char *isa, const struct pack_program *program,
                   const struct bench_measurement *measurement);

// measurements[i] is of programs[i]; programs with a role are passed over.
void results_print(FILE *out, struct arena *arena, const struct pack *pack,
                   const struct bench_measurement *measurements);

#endif
