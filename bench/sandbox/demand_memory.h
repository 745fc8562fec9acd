// Private to this folder.
// Memory that appears where foreign code touches it. So code runs whose registers hold arbitrary addresses. Real pages
// (frames) stand behind the addresses, and stay in the fastest cache: either each page has its own, or a few back all
// addresses. Source of the latter: Y. Chen et al., "BHive: a benchmark suite and measurement framework", IISWC 2019,
// section III.
//
// Where the harness lets more pages with memory of their own appear than the cache holds, a look shows how long each is
// in use: in a run without timing, each page that is touched for the first time takes all others away, and these come
// back when they are touched. Then pages that were left lend their memory to later ones (page_turns.h).
//
// For the child of a sandbox: makes system calls only. demand_memory_answer runs in a signal handler.
#ifndef BENCH_SANDBOX_DEMAND_MEMORY_H
#define BENCH_SANDBOX_DEMAND_MEMORY_H

#include "bench/bench.h"
#include "bench/sandbox/page_turns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct demand_page {
    uintptr_t address;
    unsigned frame; // number of the frame behind it
    bool is_there;  // else a look has taken it away
};

struct demand_memory {
    int file;          // file of the frames; -1: no memory may appear
    size_t page_bytes; // size of this machine's pages, bytes
    uint8_t *frames;   // all of them, as the harness sees them
    unsigned *order;   // the page of the file that each of them is (frame_order.h)
    struct bench_foreign rules;
    enum bench_memory kind;
    unsigned cache_pages;      // pages that this machine's first-level cache holds
    unsigned most_near;        // frames that it may be asked to hold
    struct demand_page *pages; // pages that have appeared, in order
    struct page_turn *turns;   // when each is in use, in a look
    unsigned n_pages;          // number of them
    unsigned most_pages;       // limit now
    uint64_t reached;          // passes for which demand_memory_reach has made them appear
    bool was_limited;          // a page was refused that the rules allow
    unsigned n_frames;         // frames in use
    bool is_looking;
    unsigned n_arrived;  // pages that the look has seen; they come first
    unsigned n_arrivals; // arrivals that it has seen; see page_turns.h
    unsigned n_looked;   // pages that the last look has settled
    unsigned fewest_gap; // kind MEMORY_TURNS: arrivals between two uses of a frame
};

// Makes room for the frames, and for a list long enough for any of these codes. Nothing appears yet. On failure returns
// false and sets errno.
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

// Makes the pages of accesses that may never fault appear, for so many passes through the body. Returns false where
// there are too many; where no page can be, none appears.
bool demand_memory_reach(struct demand_memory *memory, uint64_t passes);

// Whether pages have appeared that the cache does not hold, and that no look has settled yet.
bool demand_memory_wants_look(const struct demand_memory *memory);
// Enclose a run that is not timed, and that touches all pages again.
void demand_memory_look_begin(struct demand_memory *memory);
void demand_memory_look_end(struct demand_memory *memory);

// Of pages that take turns: gives each its own frame again, as they are used too shortly after each other.
void demand_memory_end_turns(struct demand_memory *memory);
// Limits the number of pages with memory of their own, until the limit is lifted.
void demand_memory_limit(struct demand_memory *memory, unsigned most_pages);
void demand_memory_lift(struct demand_memory *memory);

#endif
