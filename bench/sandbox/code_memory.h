// Private to this folder.
// Memory that code under test lies in, and a buffer for it. For the child of a sandbox: system calls only, nothing is
// given back.
#ifndef BENCH_SANDBOX_CODE_MEMORY_H
#define BENCH_SANDBOX_CODE_MEMORY_H

#include "bench/bench.h"

enum { CODE_MEMORY_BYTES = 1 << 16 }; // of the buffer a piece of code may use

// By the C ABI of the ISA; see struct bench_code.
typedef void (*code_function)(uint64_t iterations, void *memory);

// Where all code of one call lies, with the frames in between.
struct code_region {
    const uint8_t *start;
    size_t n_bytes;
};

// Each piece from the start of a page, and its offset. Where one is of unknown origin, all lie in a place of their own:
// two gigabytes on either side of it hold nothing of the harness, as code can reach these without an address; and each
// such piece has its frame. False without executable memory: errno says why.
bool code_map_all(const struct bench_code *const *codes, size_t n, code_function *functions,
                  struct code_region *region);

// The frame of code of unknown origin: BENCH_FRAME_WORDS words.
const uintptr_t *code_frame(code_function function, const struct bench_code *code);

// The middle of a zeroed buffer between two pages that nobody may touch; null without memory.
void *code_map_memory(void);
// The middle of one such page, for code that is known and needs little.
void *code_map_page(void);
// Zeroes the first one again.
void code_clear_memory(void *memory);

const void *code_start(code_function function);

#endif
