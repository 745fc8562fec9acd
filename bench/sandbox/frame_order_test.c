// An order of pages has each page once, and no pair at its front that waits while others do not.
#include "bench/sandbox/frame_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

static const size_t page_bytes = 4096;

static void an_order_has_each_page_once(void **state) {
    (void)state;
    static const struct {
        unsigned n, n_wanted;
    } cases[] = {{1, 1}, {2, 1}, {8, 8}, {32, 8}, {FRAME_ORDER_MOST, 12}, {FRAME_ORDER_MOST, FRAME_ORDER_MOST}};
    uint8_t *pages =
        mmap(NULL, FRAME_ORDER_MOST * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned order[FRAME_ORDER_MOST], n_descents = 0;
        bool are_there[FRAME_ORDER_MOST] = {false};
        frame_order_choose(pages, page_bytes, cases[i].n, cases[i].n_wanted, order);
        for (unsigned k = 0; k < cases[i].n; k++) {
            assert_true(order[k] < cases[i].n && !are_there[order[k]]);
            are_there[order[k]] = true;
            n_descents += k > 0 && order[k] < order[k - 1];
        }
        assert_true(n_descents <= 1); // those that go well together, then the others
    }
    munmap(pages, FRAME_ORDER_MOST * page_bytes);
}

// The greatest ratio of the times of two pairs among the first pages of an order.
static double worst_ratio(uint8_t *pages, const unsigned *order, unsigned n) {
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i + 1; k < n; k++) {
            uint64_t ticks = frame_order_time(pages + order[i] * page_bytes, pages + order[k] * page_bytes, page_bytes);
            least = ticks < least ? ticks : least;
            most = ticks > most ? ticks : most;
        }
    return (double)most / (double)least;
}

// Where one pair in 16 waits ten times as long, 8 pages as they come have such a pair five times in six.
static void pages_at_the_front_go_well_together(void **state) {
    (void)state;
    enum { WANTED = 8, TRIES = 10 };
    static const double most = 5;
    unsigned order[FRAME_ORDER_MOST], n_good = 0;
    if (!frame_order_is_timed())
        skip();
    for (unsigned i = 0; i < TRIES; i++) {
        uint8_t *pages =
            mmap(NULL, FRAME_ORDER_MOST * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(pages != MAP_FAILED);
        memset(pages, 1, FRAME_ORDER_MOST * page_bytes); // else the page of zeros is behind them until then
        frame_order_choose(pages, page_bytes, FRAME_ORDER_MOST, WANTED, order);
        n_good += worst_ratio(pages, order, WANTED) < most;
        munmap(pages, FRAME_ORDER_MOST * page_bytes);
    }
    assert_true(n_good > TRIES / 2); // others may take the core away while one is timed
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_order_has_each_page_once),
                                       cmocka_unit_test(pages_at_the_front_go_well_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
