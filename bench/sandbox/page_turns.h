// Private to this folder.
// Decides which pages may lend their memory to each other, so that few real pages suffice, and none that code uses at
// the same time, or shortly after each other, are the same one. Pure: makes no system call.
//
// Time is counted in arrivals: a page arrives when it is touched for the first time, or again after others have arrived
// since: two streams may walk over it. It is in use from one arrival to another.
#ifndef BENCH_SANDBOX_PAGE_TURNS_H
#define BENCH_SANDBOX_PAGE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

enum { PAGE_TURNS_MOST_FRAMES = 64, PAGE_TURNS_MOST_STAYS = 6 };

struct page_turn {
    struct page_stay {
        unsigned first, last;       // arrivals that begin and end a use, from 0
    } stays[PAGE_TURNS_MOST_STAYS]; // in this order; the last one contains further ones
    unsigned n_stays;
    uintptr_t number; // its address in pages
    bool is_alone;    // it lends its memory to no other page
    unsigned frame;   // result: number of the real page behind it, from 0
};

// Whether a page arrives if it is touched after arrival `now`; false: it is still in use.
bool page_turns_arrives(const struct page_turn *page, unsigned now);
// Notes that a page is in use after an arrival, the latest so far.
void page_turns_note(struct page_turn *page, unsigned arrival);

// Gives each page the memory of one of `n_frames` real pages. `pages` are in the order of their first arrival. Between
// uses of two pages with the same memory lie `*gap` arrivals or more, at least as many as pages are in use at a time.
// For streams that walk side by side may all step into new pages at once: such arrivals take next to no time, and one
// more takes as long as the walk through a page. `needs_gap` false: the memory may be lent at any time. Returns false
// where so many real pages do not suffice.
bool page_turns_give(struct page_turn *pages, unsigned n, unsigned n_frames, bool needs_gap, unsigned *gap);

#endif
