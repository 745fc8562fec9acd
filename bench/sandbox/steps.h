// Records which instructions a piece of code executes, in order. The code runs in the sandbox, one instruction at a
// time, under ptrace. Takes microseconds per instruction. Does not measure time.
#ifndef BENCH_SANDBOX_STEPS_H
#define BENCH_SANDBOX_STEPS_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STEP_REGISTERS = 16 };

// Registers before a step. x86-64 only.
struct step_registers {
    uint64_t general[STEP_REGISTERS]; // by their numbers in encodings: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 ...
    uint64_t counter;                 // address of the instruction
    uint64_t fs, gs;                  // bases of segments
    uint64_t stack_behind;            // the stack pointer when the step was done
};

// Steps of a run. An instruction that repeats itself (x86: rep movsb) appears once for each repetition.
struct steps {
    // Offset in the code of each executed instruction, bytes; in the code's segments modulo 2^32.
    const uint32_t *offsets;
    const struct step_registers *registers; // of each; null: not asked for, or not x86-64
    size_t n;
    size_t bodies;              // number of bodies in these steps; 0 where the request's body_bytes are 0
    enum bench_outcome outcome; // BENCH_OK: the code returned, or took enough steps
};

struct steps_request {
    const struct bench_code *code;
    uint64_t iterations;
    size_t first, end;      // records only instructions with first <= offset < end, bytes, and
    bool has_segments;      // those of the code's executable segments: functions that it calls
    size_t most;            // largest number of steps; with more, steps_record fails
    double timeout_seconds; // 0: 2 s
    // `copies` bodies of `body_bytes` each are at `first`, one after the other. Stepping stops at the end of the body
    // in which the number of steps reaches `enough`. body_bytes 0: runs to the end.
    size_t body_bytes, copies, enough;
    bool is_own_loop; // the one copy ends where control comes back to `first`
    bool has_registers;
};

// Runs the code and fills `steps`. Fails where this machine cannot step through code (FAIL_UNAVAILABLE), and beyond
// `most` (FAIL_WORK).
bool steps_record(struct arena *arena, const struct steps_request *request, struct steps *steps, struct fail *fail);

#endif
