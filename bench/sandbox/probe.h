// Runs many short pieces of foreign code, each once, many in one child process: tens of microseconds each. Only returns
// how each ended (trial.h says more of one). No piece sees what another left. A piece that ends or breaks its child
// costs that child alone: the next one goes on behind it.
#ifndef BENCH_SANDBOX_PROBE_H
#define BENCH_SANDBOX_PROBE_H

#include "base/fail.h"
#include "bench/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_piece {
    const uint8_t *bytes;
    size_t n_bytes; // at most the hole's; the rest of the hole stays as it is
};

struct probe_request {
    // Code of unknown origin with an exit, which runs its body once: a set-up, a hole of instructions that do nothing,
    // and the exit. It sets the registers that pieces may read, apart from vector and mask registers: on x86-64 and
    // AArch64, those are 0.
    const struct bench_code *wrapper;
    size_t hole_offset, hole_bytes; // the hole, from the wrapper's start
    const struct probe_piece *pieces;
    size_t n_pieces;
    double timeout_seconds;  // CPU time of a piece; 0: 0.25 s
    double patience_seconds; // wall-clock time that a piece waits for a CPU; 0: 10 s
};

struct probe_counts {
    unsigned n_children;
    unsigned n_starved;  // children that waited too long for a CPU: another one began again where they were
    unsigned n_repeated; // pieces that did not end well, and ran once more
    unsigned n_differed; // those that ended otherwise then; a third run in a separate child decides
};

// Runs all pieces and sets `outcomes`, in their order. BENCH_OK: the piece came to its end, whatever it changed. Each
// other outcome was seen twice, in other company, or in a child of its own; none is BENCH_STARVED, which says nothing
// of a piece. `counts` may be null. Fails only where the harness fails: without memory, executable memory, a child
// process or its filter, or where others hold all CPUs for long.
bool probe_run(const struct probe_request *request, enum bench_outcome *outcomes, struct probe_counts *counts,
               struct fail *fail);

#endif
