// One run of code of unknown origin, in the sandbox, without a look at the time: whether it comes to its end from the
// state it starts in, what it touches on its way, and what it leaves behind.
#ifndef BENCH_SANDBOX_TRIAL_H
#define BENCH_SANDBOX_TRIAL_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"

struct trial {
    enum bench_outcome outcome; // BENCH_OK: it came to its end
    struct bench_seen seen;
    uint64_t code_address; // of the code's first byte, which is elsewhere in each run; 0: it did not run
    // Where it came to its end: words of its frame, and the pages of memory that appeared, in the order in which they
    // were touched; bytes of the pages that stand behind them, by number.
    uint64_t frame[BENCH_FRAME_WORDS];
    const uint64_t *addresses;
    const uint8_t *memory;
    size_t n_memory_bytes;
};

// `timeout_seconds`: 0 = 2. False only when the harness itself failed.
bool trial_run(struct arena *arena, const struct bench_code *code, double timeout_seconds, struct trial *trial,
               struct fail *fail);

#endif
