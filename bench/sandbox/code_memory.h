// Private to this folder.
// Memory for the code under test, and a buffer for it. For the child of a sandbox: makes system calls only, and frees
// nothing.
#ifndef BENCH_SANDBOX_CODE_MEMORY_H
#define BENCH_SANDBOX_CODE_MEMORY_H

#include "bench/bench.h"

enum { CODE_MEMORY_BYTES = 1 << 16 }; // size of the buffer that a piece of code may use

// Called by the C ABI of the ISA; see struct bench_code.
typedef void (*code_function)(uint64_t iterations, void *memory);

// Memory of all code of one code_map_all, with the frames in between.
struct code_region {
    const uint8_t *start;
    size_t n_bytes;
};

// Copies the codes into executable memory. Each starts at its offset in a page.
//  - Each code of unknown origin has its frame.
//  - Where one is of unknown origin, all lie far from the harness: code can reach two gigabytes in either direction
//    without an address. (Without a place there, or with 32-bit addresses, the kernel picks one.)
//  - One that has an address is alone. Its segments are in the region, too.
// Sets `functions`, in the order of `codes`, and `region`. On failure returns false and sets errno.
bool code_map_all(const struct bench_code *const *codes, size_t n, code_function *functions,
                  struct code_region *region);

// Writes the content of the writable segments again.
void code_restore_segments(const struct bench_code *code);

// Returns the frame of code of unknown origin: BENCH_FRAME_WORDS words.
const uintptr_t *code_frame(code_function function, const struct bench_code *code);

// Returns the middle of a zeroed buffer of CODE_MEMORY_BYTES between two pages without access; null without memory.
void *code_map_memory(void);
// The same with one page, for known code that needs little.
void *code_map_page(void);
// Zeroes the buffer of code_map_memory again.
void code_clear_memory(void *memory);

const void *code_start(code_function function);

#endif
