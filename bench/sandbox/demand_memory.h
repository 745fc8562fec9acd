// Private to this folder.
// Memory that appears where foreign code touches it, so that code runs whose registers point nowhere in particular. A
// few pages stand behind all addresses: they stay in the fastest cache, wherever the code goes (the idea of BHive: Y.
// Chen et al., "BHive: a benchmark suite and measurement framework", IISWC 2019, section III). For the child of a
// sandbox; system calls only, and the answer to a fault runs in a signal handler.
#ifndef BENCH_SANDBOX_DEMAND_MEMORY_H
#define BENCH_SANDBOX_DEMAND_MEMORY_H

#include "bench/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct demand_memory {
    int file;          // the pages that stand behind all; -1: there is no such memory
    size_t page_bytes; // of this machine
    uint8_t *frames;   // the same pages, as the harness sees them
    struct bench_foreign rules;
    uintptr_t *addresses; // of the pages that have appeared
    unsigned n_pages;     // in that list
};

// Makes the pages, enough for all of these codes; nothing has appeared yet. False: errno says why.
bool demand_memory_open(struct demand_memory *memory, const struct bench_code *const *codes, size_t n);

// From now on for this code: what had appeared is gone, and the pages are filled.
void demand_memory_start(struct demand_memory *memory, const struct bench_foreign *rules);

// Fills the pages again, as before each run; nothing where the code does not store.
void demand_memory_fill(struct demand_memory *memory);

// Answers a fault at that address.
enum demand_answer {
    DEMAND_APPEARED, // the instruction can be tried again
    DEMAND_REFUSED,  // nothing can be there
    DEMAND_FULL,     // as many pages have appeared as may
};
enum demand_answer demand_memory_answer(struct demand_memory *memory, uintptr_t address);

#endif
