// Private to this folder.
// Distinguishes and answers the faults of foreign code, in a handler in the child. A signal alone does not show whether
// code overran its stack, jumped to no code, or used a privileged instruction.
//  - Where the code only needs memory, the handler maps it, and the code goes on.
//  - It notes every other fault, and continues at the code's exit.
//  - Where code has no exit, the fault happens again, and the child dies by the signal.
#ifndef BENCH_SANDBOX_FAULT_H
#define BENCH_SANDBOX_FAULT_H

#include "bench/bench.h"
#include "bench/sandbox/code_memory.h"
#include "bench/sandbox/demand_memory.h"

#include <stdbool.h>

// The handler's note, in memory shared with the parent. The code under test may have overwritten it.
struct fault_note {
    volatile int outcome; // enum bench_outcome; BENCH_OK: no fault
    struct bench_fault fault;
};

struct fault_watch {
    struct fault_note *note;
    const uint8_t *stack_guard; // the page below the harness's stack
    size_t guard_bytes;
    struct code_region region;    // memory of the code under test
    void *handler_stack;          // the handler's stack, FAULT_STACK_BYTES
    struct demand_memory *memory; // memory that may appear; null: none may
};
enum { FAULT_STACK_BYTES = 1 << 16 }; // a signal frame with AMX state takes 11 KiB

// Installs the handler. The child calls it once. On failure returns false and sets errno.
bool fault_watch_start(const struct fault_watch *watch);

// Sets the code that runs from now on; null: known code, or no code.
void fault_watch_code(const struct bench_code *code, code_function function);

#endif
