#include "bench/sandbox/page_turns.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

bool page_turns_arrives(const struct page_turn *page, unsigned now) {
    enum { SHORT = 4 };
    return !page->n_stays || now - page->stays[page->n_stays - 1].last > SHORT;
}

void page_turns_note(struct page_turn *page, unsigned arrival) {
    if (!page_turns_arrives(page, arrival) || page->n_stays == PAGE_TURNS_MOST_STAYS)
        page->stays[page->n_stays - 1].last = arrival;
    else
        page->stays[page->n_stays++] = (struct page_stay){arrival, arrival};
}

static bool is_used_at(const struct page_turn *page, unsigned arrival) {
    for (unsigned i = 0; i < page->n_stays; i++)
        if (page->stays[i].first <= arrival && arrival <= page->stays[i].last)
            return true;
    return false;
}

// Returns the largest number of pages that are in use at a time: at the beginning of some use.
static unsigned count_most(const struct page_turn *pages, unsigned n) {
    unsigned most = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned s = 0; s < pages[i].n_stays; s++) {
            unsigned n_used = 0;
            for (unsigned k = 0; k < n; k++)
                n_used += is_used_at(&pages[k], pages[i].stays[s].first);
            most = n_used > most ? n_used : most;
        }
    return most;
}

// Returns the fewest arrivals between a use of one page and one of the other; 0: they meet.
static unsigned gap_between(const struct page_turn *a, const struct page_turn *b) {
    unsigned fewest = UINT_MAX;
    for (unsigned i = 0; i < a->n_stays; i++)
        for (unsigned k = 0; k < b->n_stays; k++) {
            const struct page_stay *x = &a->stays[i], *y = &b->stays[k];
            unsigned gap = x->first > y->last   ? x->first - y->last - 1
                           : y->first > x->last ? y->first - x->last - 1
                                                : 0;
            fewest = gap < fewest ? gap : fewest;
        }
    return fewest;
}

// Chooses a frame for page number `i`: an unused one, else the one whose pages are used at the most distant times.
// Frames below `n_alone` belong to the pages that lend none. Returns the gap there.
static unsigned choose(struct page_turn *pages, unsigned i, unsigned n_alone, unsigned n_frames) {
    unsigned gaps[PAGE_TURNS_MOST_FRAMES], best = n_alone;
    memset(gaps, UCHAR_MAX, sizeof gaps); // UINT_MAX each
    for (unsigned k = 0; k < i; k++) {
        unsigned gap = pages[k].is_alone ? UINT_MAX : gap_between(&pages[k], &pages[i]);
        if (gap < gaps[pages[k].frame])
            gaps[pages[k].frame] = gap;
    }
    for (unsigned frame = n_alone; frame < n_frames; frame++)
        best = gaps[frame] > gaps[best] ? frame : best;
    pages[i].frame = best;
    return gaps[best];
}

// Gives frames in the order of arrivals, each as well as it can be then. Returns the fewest arrivals between.
static unsigned give_in_order(struct page_turn *pages, unsigned n, unsigned n_alone, unsigned n_frames) {
    unsigned fewest = UINT_MAX;
    for (unsigned i = 0; i < n; i++) {
        unsigned gap = pages[i].is_alone ? UINT_MAX : choose(pages, i, n_alone, n_frames);
        fewest = gap < fewest ? gap : fewest;
    }
    return fewest;
}

// Gives each of the frames from `n_alone` on to every so manieth page in the order of addresses. Where one stream walks
// far behind another, that may keep them apart when the order of arrivals does not.
static unsigned give_by_address(struct page_turn *pages, unsigned n, unsigned n_alone, unsigned n_frames) {
    unsigned fewest = UINT_MAX;
    for (unsigned i = 0; i < n; i++) {
        if (pages[i].is_alone)
            continue;
        pages[i].frame = n_alone + (unsigned)(pages[i].number % (n_frames - n_alone));
        for (unsigned k = 0; k < i; k++) {
            unsigned gap = pages[k].frame == pages[i].frame ? gap_between(&pages[k], &pages[i]) : UINT_MAX;
            fewest = gap < fewest ? gap : fewest;
        }
    }
    return fewest;
}

bool page_turns_give(struct page_turn *pages, unsigned n, unsigned n_frames, bool needs_gap, unsigned *gap) {
    unsigned n_alone = 0, needed = needs_gap ? count_most(pages, n) : 0;
    assert(n_frames <= PAGE_TURNS_MOST_FRAMES);
    for (unsigned i = 0; i < n; i++)
        if (pages[i].is_alone)
            pages[i].frame = n_alone++;
    if (n_alone >= n_frames)
        return false;
    unsigned best = 0; // frames of the best order by addresses; 0: the order of arrivals is better
    *gap = give_in_order(pages, n, n_alone, n_frames);
    for (unsigned some = n_alone + 1; some <= n_frames; some++) {
        unsigned here = give_by_address(pages, n, n_alone, some);
        best = here > *gap ? some : best;
        *gap = here > *gap ? here : *gap;
    }
    if (best)
        give_by_address(pages, n, n_alone, best);
    else
        give_in_order(pages, n, n_alone, n_frames);
    return *gap >= needed;
}
