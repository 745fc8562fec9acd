// Private to this folder.
// Faults of foreign code, told apart and answered. A signal alone does not say whether code ran off its stack, jumped
// nowhere, or tried what only a kernel may; and some faults mean no more than that memory is wanted. A handler in the
// child answers those. All others it notes; then it sends the code to its exit, where it has one, or else lets the
// fault happen again, so that the child dies by the signal.
#ifndef BENCH_SANDBOX_FAULT_H
#define BENCH_SANDBOX_FAULT_H

#include "bench/bench.h"
#include "bench/sandbox/code_memory.h"
#include "bench/sandbox/demand_memory.h"

#include <stdbool.h>

// What the handler found out; in memory shared with the parent. The code under test may have written anything there.
struct fault_note {
    volatile int outcome; // enum bench_outcome; BENCH_OK: nothing noted
    struct bench_fault fault;
};

struct fault_watch {
    struct fault_note *note;
    const uint8_t *stack_guard; // the page below the harness's stack
    size_t guard_bytes;
    struct code_region region;    // where the code under test lies
    void *handler_stack;          // FAULT_STACK_BYTES that nothing else uses
    struct demand_memory *memory; // that may appear; null: none
};
enum { FAULT_STACK_BYTES = 1 << 16 }; // a signal frame with AMX state takes 11 KiB

// Installs the handler; for the child, once. False: errno says why.
bool fault_watch_start(const struct fault_watch *watch);

// The code that runs from now on; null: known code, or none.
void fault_watch_code(const struct bench_code *code, code_function function);

#endif
