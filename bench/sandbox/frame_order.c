#include "bench/sandbox/frame_order.h"

#include "bench/host/timer.h"

#include <sys/param.h>

enum { LINE_BYTES = 64, MOST_BYTES = 1 << 12 };

struct page_set {
    uint8_t *first;
    size_t page_bytes;
    uint64_t least; // ticks of the fastest pair
};

#ifdef __x86_64__
bool frame_order_is_timed(void) {
    return __builtin_cpu_supports("avx512f");
}

// NOLINTNEXTLINE(readability-non-const-parameter): the instruction writes there
static void store_and_load(uint8_t *to, const uint8_t *from) {
    struct line {
        uint8_t bytes[LINE_BYTES];
    };
    __asm__ volatile("vmovups %%zmm0, %0\n vmovups %1, %%zmm0"
                     : "=m"(*(struct line *)to)
                     : "m"(*(const struct line *)from)
                     : "xmm0");
}
#else
bool frame_order_is_timed(void) {
    return false;
}

static void store_and_load(uint8_t *to, const uint8_t *from) {
    (void)to, (void)from;
}
#endif

uint64_t frame_order_time(uint8_t *stored, const uint8_t *loaded, size_t page_bytes) {
    enum { RUNS = 8 };
    uint64_t least = UINT64_MAX;
    for (unsigned run = 0; run < RUNS; run++) {
        uint64_t start = timer_read();
        for (size_t at = 0; at < MIN(page_bytes, MOST_BYTES); at += LINE_BYTES)
            store_and_load(stored + at, loaded + at);
        uint64_t ticks = timer_read() - start;
        least = MIN(least, ticks);
    }
    return least;
}

static uint64_t time_pair(const struct page_set *pages, unsigned stored, unsigned loaded) {
    return frame_order_time(pages->first + stored * pages->page_bytes, pages->first + loaded * pages->page_bytes,
                            pages->page_bytes);
}

// Whether a page goes well with those in the order so far.
static bool fits(const struct page_set *pages, const unsigned *order, unsigned n, unsigned page) {
    enum { SLOWER = 3 };
    for (unsigned i = 0; i < n; i++)
        if (time_pair(pages, order[i], page) > SLOWER * pages->least)
            return false;
    return true;
}

void frame_order_choose(uint8_t *pages, size_t page_bytes, unsigned n, unsigned n_wanted, unsigned *order) {
    enum { FIRST_PAIRS = 6 };
    struct page_set set = {.page_bytes = page_bytes, .least = UINT64_MAX};
    bool are_chosen[FRAME_ORDER_MOST] = {false};
    unsigned n_chosen = 0;
    bool is_timed = frame_order_is_timed();
    set.first = pages;
    for (unsigned i = 1; i < MIN(n, 1 + FIRST_PAIRS) && is_timed; i++)
        set.least = MIN(set.least, time_pair(&set, i - 1, i));
    for (unsigned i = 0; i < n && n_chosen < n_wanted; i++)
        if (!is_timed || fits(&set, order, n_chosen, i)) {
            are_chosen[i] = true;
            order[n_chosen++] = i;
        }
    for (unsigned i = 0; i < n; i++)
        if (!are_chosen[i])
            order[n_chosen++] = i;
}
