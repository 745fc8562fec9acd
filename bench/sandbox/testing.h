// For tests: machine code of unknown origin, as a generator would wrap it: a frame, an exit, a loop. x86-64 only.
#ifndef BENCH_SANDBOX_TESTING_H
#define BENCH_SANDBOX_TESTING_H

#include "bench/bench.h"

// A body as it stands. It may use rax, rcx and rdx, and starts with the first two: an address, and 0.
struct foreign_body {
    const char *hex;
    uint32_t rax;
    bool has_no_loop; // it runs once, whatever the number of iterations
};

// The frame's word that holds what rax was at the end.
enum { FOREIGN_RAX = 1 };

bool foreign_code_exists(void); // for this ISA

// With the rules' exit set.
struct bench_code foreign_code(struct arena *arena, struct foreign_body body, struct bench_foreign rules);

#endif
