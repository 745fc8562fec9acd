// What the fuzzers share: input as a file, input as text, and CPUs that stay open.
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "analyzer/model/model.h"
#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

// A path under which the input can be opened, until the next call.
const char *fuzz_path(const uint8_t *data, size_t n_bytes);

// An open CPU, one of several targets by `which`.
struct model fuzz_cpu(unsigned which);

// Simulates a few iterations of each block, in few cycles.
void fuzz_simulate(struct model cpu, const struct block *blocks, size_t n_blocks);

#endif
