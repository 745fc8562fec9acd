// Memory that foreign code runs in. For the child of a sandbox: system calls only, nothing is given back.
#ifndef BENCH_CODE_MEMORY_H
#define BENCH_CODE_MEMORY_H

#include "bench/bench.h"

enum { CODE_MEMORY_BYTES = 1 << 16 }; // of the buffer a piece of code may use

// By the C ABI of the ISA; see struct bench_code.
typedef void (*code_function)(uint64_t iterations, void *memory);

// Null without (executable) memory; errno says why.
code_function code_map(const struct bench_code *code);
// Several, each from the start of a page, without guards between them: for code that is known. False: errno says why.
bool code_map_all(const struct bench_code *const *codes, size_t n, code_function *functions);
// The middle of a zeroed buffer between two pages that nobody may touch.
void *code_map_memory(void);
// The middle of one such page, for code that is known and needs little.
void *code_map_page(void);
// Zeroes the first one again.
void code_clear_memory(void *memory);

const void *code_start(code_function function);

#endif
