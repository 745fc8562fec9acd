// For tests: machine code of unknown origin, wrapped as by a generator: frame, exit, loop. x86-64 only.
#ifndef BENCH_SANDBOX_TESTING_H
#define BENCH_SANDBOX_TESTING_H

#include "bench/bench.h"

// A body. It may use rax, rcx and rdx. It starts with `rax` in rax and 0 in rcx.
struct foreign_body {
    const char *hex;
    uint32_t rax;
    bool has_no_loop; // runs once, for any number of iterations
};

// Index of the frame's word that holds rax at the end.
enum { FOREIGN_RAX = 1 };

bool foreign_code_exists(void); // whether this ISA has such code here

// Returns the wrapped body, with these rules and their exit_offset set.
struct bench_code foreign_code(struct arena *arena, struct foreign_body body, struct bench_foreign rules);

#endif
