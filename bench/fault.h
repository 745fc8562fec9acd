// Faults of foreign code, told apart: a SIGSEGV alone does not say whether code ran off its stack, jumped nowhere, or
// tried what only a kernel may. A handler in the child notes which it was and lets the fault happen again, so that the
// child still dies by the signal.
#ifndef BENCH_FAULT_H
#define BENCH_FAULT_H

#include "bench/bench.h"

#include <stdbool.h>

// What the handler found out; in memory shared with the parent.
struct fault_note {
    volatile int outcome; // enum bench_outcome; BENCH_OK: nothing noted
};

struct fault_watch {
    struct fault_note *note;
    const uint8_t *stack_guard; // the page below the stack
    size_t guard_bytes;
    const uint8_t *code; // of the code under test
    size_t code_bytes;
    void *handler_stack; // FAULT_STACK_BYTES that nothing else uses
};
enum { FAULT_STACK_BYTES = 1 << 16 }; // a signal frame with AMX state takes 11 KiB

// Installs the handler; for the child, once. False: errno says why.
bool fault_watch_start(const struct fault_watch *watch);

#endif
