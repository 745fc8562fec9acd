// One run of code of unknown origin in the sandbox, without a measurement: whether it reaches its end, which memory it
// touches, and the state that it leaves.
#ifndef BENCH_SANDBOX_TRIAL_H
#define BENCH_SANDBOX_TRIAL_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"

struct trial {
    enum bench_outcome outcome; // BENCH_OK: the code reached its end
    struct bench_seen seen;
    uint64_t code_address; // address of the code's first byte, another in each run; 0: the code did not run
    // The rest has a meaning only where the code reached its end or its exit.
    uint64_t frame[BENCH_FRAME_WORDS]; // words of its frame
    const uint64_t *addresses;         // addresses of the seen.pages that appeared, in the order of first access
    // Bytes of the memory behind them. Own memory (seen.memory): of each page, in that order; else of each frame.
    const uint8_t *memory;
    size_t n_memory_bytes;
    size_t page_bytes;
};

// Runs the code once. `timeout_seconds`: 0: 2 s. Fails only where the harness fails: without memory, executable memory,
// a child process or its filter.
bool trial_run(struct arena *arena, const struct bench_code *code, double timeout_seconds, struct trial *trial,
               struct fail *fail);

#endif
