// Rings of addresses that code chases through (struct bench_chase). For the child of a sandbox: makes system calls
// only.
#ifndef BENCH_SANDBOX_CHASE_MEMORY_H
#define BENCH_SANDBOX_CHASE_MEMORY_H

#include "bench/bench.h"

struct chase_memory {
    uint8_t *start;                      // in pages as large as the system has them; null: nothing is mapped
    uint8_t *small;                      // the same, in small ones
    struct bench_chase now;              // the rings that are made
    uintptr_t places[BENCH_MOST_CHASES]; // address where each ring's chase goes on
};

// Maps memory for the largest rings of these codes; does nothing where no code has any. On failure returns false and
// sets errno.
bool chase_memory_open(struct chase_memory *chases, const struct bench_code *const *codes, size_t n);

// Makes the rings of a code, unless they are made already. A ring has whole lines or pages; a power of two of lines
// where there are more than 65536.
void chase_memory_make(struct chase_memory *chases, const struct bench_code *code);

// Enclose each call of code with chases; they do nothing for other code. Enter writes into the buffer where the chases
// go on; leave moves on by the steps that so many iterations have made.
void chase_memory_enter(const struct chase_memory *chases, const struct bench_code *code, void *buffer);
void chase_memory_leave(struct chase_memory *chases, const struct bench_code *code, uint64_t iterations);

#endif
