// Memory that foreign code runs in. For the child of a sandbox: system calls only, nothing is given back.
#ifndef BENCH_CODE_MEMORY_H
#define BENCH_CODE_MEMORY_H

#include "bench/bench.h"

enum { CODE_MEMORY_BYTES = 1 << 16 }; // of the buffer a piece of code may use

// By the C ABI of the ISA; see struct bench_code.
typedef void (*code_function)(uint64_t iterations, void *memory);

// Null without (executable) memory; errno says why.
code_function code_map(const struct bench_code *code);
// The middle of a zeroed buffer between two pages that nobody may touch.
void *code_map_memory(void);

const void *code_start(code_function function);

#endif
