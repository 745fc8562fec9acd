// Private to this folder.
// Memory that appears where foreign code touches it. So code runs whose registers hold arbitrary addresses. A few pages
// (frames) back all addresses and stay in the fastest cache. Source: Y. Chen et al., "BHive: a benchmark suite and
// measurement framework", IISWC 2019, section III.
// For the child of a sandbox: makes system calls only. demand_memory_answer runs in a signal handler.
#ifndef BENCH_SANDBOX_DEMAND_MEMORY_H
#define BENCH_SANDBOX_DEMAND_MEMORY_H

#include "bench/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct demand_memory {
    int file;          // file of the frames; -1: no memory may appear
    size_t page_bytes; // size of this machine's pages, bytes
    uint8_t *frames;   // BENCH_MOST_FRAMES frames, as the harness sees them
    struct bench_foreign rules;
    uintptr_t *addresses; // addresses of the pages that have appeared, in order
    unsigned n_pages;     // number of them
};

// Makes the frames, and a list long enough for any of these codes. Nothing appears yet. On failure returns false and
// sets errno.
bool demand_memory_open(struct demand_memory *memory, const struct bench_code *const *codes, size_t n);

// Starts with another code: unmaps all pages that have appeared, and fills the frames.
void demand_memory_start(struct demand_memory *memory, const struct bench_foreign *rules);

// Fills the frames again before a run. Does nothing where the code does not store.
void demand_memory_fill(struct demand_memory *memory);

// Answers a fault at an address: maps a page there, where the rules allow it.
enum demand_answer {
    DEMAND_APPEARED, // a page is there now; the instruction can run again
    DEMAND_REFUSED,  // no page can be there
    DEMAND_FULL,     // the largest number of pages has appeared already
};
enum demand_answer demand_memory_answer(struct demand_memory *memory, uintptr_t address);

#endif
