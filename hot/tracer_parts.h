// Private to the tracer: what its files share. x86-64 only.
#ifndef HOT_TRACER_PARTS_H
#define HOT_TRACER_PARTS_H

#include "hot/tracer.h"

#if defined(__x86_64__)
#include <sys/user.h>

static inline void *as_pointer(uint64_t number) {
    return (void *)(uintptr_t)number;
}

// PTRACE_EVENT_… of a stop; 0: it is a signal's.
static inline unsigned event_of(int wait_status) {
    enum { EVENT_SHIFT = 16 };
    return (unsigned)wait_status >> EVENT_SHIFT;
}

int tracer_wait_for(pid_t tid, int *wait_status, int flags, struct rusage *usage); // as wait4, also of threads
bool tracer_get_registers(pid_t tid, struct user_regs_struct *registers);
// By POKE, which also writes to code that is not writable.
bool tracer_write_byte(pid_t tid, uint64_t address, uint8_t byte);

void tracer_add_thread(struct tracer *tracer, pid_t tid, bool is_vforked); // that runs
void tracer_open_memory(struct tracer *tracer);                            // of the program that runs now

// Stops all threads; the breakpoints stay in memory. False: one does not stop.
bool tracer_stop_all(struct tracer *tracer);
bool tracer_are_all_stopped(const struct tracer *tracer);
#endif

#endif
