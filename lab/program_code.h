// An assembled program as bench/ wants it.
#ifndef LAB_PROGRAM_CODE_H
#define LAB_PROGRAM_CODE_H

#include "bench/bench.h"
#include "gen/program.h"

#include <stdbool.h>

struct bench_code program_code(const struct program *program, bool is_simulated);

#endif
