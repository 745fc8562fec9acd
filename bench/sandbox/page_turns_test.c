// Which pages lend each other their memory.
#include "bench/sandbox/page_turns.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 256, N = 64 };

// `n_streams` walk side by side: each page is left when the same stream's next one arrives. Another `n_staying` pages
// come first, and stay.
static unsigned walk(struct page_turn *pages, unsigned n_staying, unsigned n_streams, unsigned n) {
    memset(pages, 0, n * sizeof *pages);
    for (unsigned i = 0; i < n; i++) {
        unsigned last = i < n_staying ? n - 1 : i + n_streams - 1;
        pages[i].number = (i < n_staying ? 7 * i : 1000 + i % n_streams * 137 + i / n_streams);
        for (unsigned at = i; at <= last && at < n; at++)
            page_turns_note(&pages[i], at);
    }
    return n;
}

static bool uses(const struct page_turn *page, unsigned first, unsigned end) {
    for (unsigned i = 0; i < page->n_stays; i++)
        if (page->stays[i].first < end && page->stays[i].last >= first)
            return true;
    return false;
}

// No two pages of one frame are in use at a time, or with fewer than `gap` arrivals between.
static void assert_apart(const struct page_turn *pages, unsigned n, unsigned gap) {
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < n; k++)
            for (unsigned s = 0; s < pages[i].n_stays && k != i && pages[i].frame == pages[k].frame; s++)
                assert_false(uses(&pages[k], pages[i].stays[s].first, pages[i].stays[s].last + gap + 1));
}

static void streams_take_turns(void **state) {
    (void)state;
    struct page_turn pages[MOST];
    static const struct {
        unsigned n_staying, n_streams, n_frames;
        bool fits;
    } cases[] = {{0, 1, 8, true},  {0, 1, 2, true},  {0, 1, 1, false},  {1, 1, 4, true},
                 {0, 3, 8, true},  {0, 4, 8, true},  {0, 4, 7, false},  {1, 4, 8, false},
                 {2, 4, 12, true}, {0, 6, 12, true}, {0, 7, 12, false}, {0, 6, PAGE_TURNS_MOST_FRAMES, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned n = walk(pages, cases[i].n_staying, cases[i].n_streams, N), gap = 0;
        assert_int_equal(page_turns_give(pages, n, cases[i].n_frames, true, &gap), cases[i].fits);
        if (!cases[i].fits)
            continue;
        assert_true(gap >= cases[i].n_staying + cases[i].n_streams);
        assert_apart(pages, n, gap);
        for (unsigned k = 0; k < n; k++)
            assert_true(pages[k].frame < cases[i].n_frames);
    }
}

// One stream walks over pages that another one has left: they are in use twice, and lend their memory in between.
static void a_stream_may_follow_another(void **state) {
    (void)state;
    struct page_turn pages[MOST];
    unsigned n = walk(pages, 0, 1, N), gap;
    for (unsigned i = 17; i < n; i++)
        page_turns_note(&pages[i - 17], i);
    assert_int_equal(pages[0].n_stays, 2);
    assert_int_equal(pages[n - 1].n_stays, 1);
    assert_true(page_turns_give(pages, n, 11, true, &gap));
    assert_true(gap >= 2);
    assert_apart(pages, n, gap);
}

// Two streams, one of them 17 pages behind: the order of addresses keeps them further apart.
static void addresses_may_say_more_than_arrivals(void **state) {
    (void)state;
    struct page_turn pages[MOST];
    unsigned n = 0, gap;
    memset(pages, 0, sizeof pages);
    for (unsigned step = 0; step < 30; step++) {
        unsigned ahead = n++, behind = step < 17 ? n++ : step == 17 ? 1 : 2 * (step - 17) + 1;
        pages[ahead].number = 1017 + step;
        pages[behind].number = step < 17 ? 1000 + step : pages[behind].number;
        page_turns_note(&pages[ahead], 2 * step);
        page_turns_note(&pages[behind], 2 * step + 1);
        page_turns_note(&pages[ahead], 2 * step + 1);
    }
    assert_true(page_turns_give(pages, n, 11, true, &gap));
    assert_true(gap >= 7);
    assert_apart(pages, n, gap);
}

// Many uses of one page: the last one contains the rest.
static void many_uses_are_kept_in_few(void **state) {
    (void)state;
    struct page_turn page = {.n_stays = 0};
    for (unsigned i = 0; i < 100; i++)
        page_turns_note(&page, 10 * i);
    assert_int_equal(page.n_stays, PAGE_TURNS_MOST_STAYS);
    assert_int_equal(page.stays[PAGE_TURNS_MOST_STAYS - 1].last, 990);
    assert_int_equal(page.stays[1].first, 10);
}

// A page that is touched again and again keeps its memory to itself.
static void a_page_in_use_lends_nothing(void **state) {
    (void)state;
    struct page_turn pages[MOST];
    unsigned n = walk(pages, 1, 1, 40), gap;
    assert_true(page_turns_give(pages, n, 8, true, &gap));
    for (unsigned i = 1; i < n; i++)
        assert_int_not_equal(pages[i].frame, pages[0].frame);
}

static void few_pages_stay_apart(void **state) {
    (void)state;
    struct page_turn pages[MOST];
    unsigned n = walk(pages, 5, 0, 5), gap;
    assert_true(page_turns_give(pages, n, 8, true, &gap));
    assert_int_equal(gap, UINT_MAX);
    assert_false(page_turns_give(pages, walk(pages, 9, 0, 9), 8, true, &gap));
}

static void some_are_alone(void **state) {
    (void)state;
    struct page_turn pages[MOST];
    unsigned n = walk(pages, 0, 1, 30), gap;
    pages[7].is_alone = pages[20].is_alone = true;
    assert_true(page_turns_give(pages, n, 6, true, &gap));
    assert_apart(pages, n, gap);
    for (unsigned i = 0; i < n; i++)
        if (i != 7 && i != 20)
            assert_true(pages[i].frame != pages[7].frame && pages[i].frame != pages[20].frame);
    pages[8].is_alone = pages[9].is_alone = true;
    assert_false(page_turns_give(pages, n, 4, false, &gap));
}

// Pages that only loads touch may lend at any time.
static void loads_need_no_gap(void **state) {
    (void)state;
    struct page_turn pages[MOST];
    unsigned n = walk(pages, 0, 10, N), gap;
    assert_false(page_turns_give(pages, n, 8, true, &gap));
    assert_true(page_turns_give(pages, n, 8, false, &gap));
    for (unsigned i = 0; i < n; i++)
        assert_true(pages[i].frame < 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_take_turns),
        cmocka_unit_test(a_stream_may_follow_another),
        cmocka_unit_test(addresses_may_say_more_than_arrivals),
        cmocka_unit_test(many_uses_are_kept_in_few),
        cmocka_unit_test(a_page_in_use_lends_nothing),
        cmocka_unit_test(few_pages_stay_apart),
        cmocka_unit_test(some_are_alone),
        cmocka_unit_test(loads_need_no_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
