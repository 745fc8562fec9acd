// Which instructions a piece of code executes, in order: it runs in the sandbox, one instruction at a time, watched
// through ptrace. Takes microseconds an instruction and measures no time.
#ifndef BENCH_SANDBOX_STEPS_H
#define BENCH_SANDBOX_STEPS_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of a run. An instruction that repeats itself (x86: rep movsb) stands there once for each repetition.
struct steps {
    const uint32_t *offsets; // in the code, of each instruction executed
    size_t n;
    size_t bodies;              // executed in them, where the request counts them
    enum bench_outcome outcome; // BENCH_OK: the code returned, or there were enough steps
};

struct steps_request {
    const struct bench_code *code;
    uint64_t iterations;
    size_t first, end;      // only instructions at these offsets are recorded: first <= offset < end
    size_t most;            // fails beyond so many of them
    double timeout_seconds; // 0: 2
    // Copies of a body stand from `first` on, one behind the other. With them, stepping stops where a body ends once
    // there are `enough` steps: how many a body takes shows only when it runs. body_bytes 0: runs to the end.
    size_t body_bytes, copies, enough;
};

// FAIL_UNAVAILABLE where this machine does not allow it, FAIL_WORK beyond `most`.
bool steps_record(struct arena *arena, const struct steps_request *request, struct steps *steps, struct fail *fail);

#endif
