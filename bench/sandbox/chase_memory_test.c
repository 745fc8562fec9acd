// Rings of addresses: each line once, and the walk goes on where it has ended.
#include "bench/sandbox/chase_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 64 };

static struct bench_code code_of(unsigned n, size_t bytes) {
    struct bench_code code = {.bodies = 3, .chase = {.n = n, .bytes = bytes}};
    for (unsigned i = 0; i < n; i++)
        code.chase.steps[i] = 1 + i;
    return code;
}

static uintptr_t next(uintptr_t place) {
    memcpy(&place, (const void *)place, sizeof place); // NOLINT(performance-no-int-to-ptr)
    return place;
}

static void a_ring_visits_each_line_once(void **state) {
    (void)state;
    static const size_t sizes[] = {1 << 10, 20 << 10, 1 << 16, 1 << 22,
                                   1 << 23}; // the last is too large for a random order
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct chase_memory chases;
        struct bench_code code = code_of(2, sizes[s]);
        const struct bench_code *codes[] = {&code};
        assert_true(chase_memory_open(&chases, codes, 1));
        chase_memory_make(&chases, &code);
        for (unsigned i = 0; i < 2; i++) {
            uintptr_t first = chases.places[i], place = first;
            size_t n = 0;
            do {
                assert_int_equal(place % LINE, 0);
                assert_true(place - (uintptr_t)chases.start - i * sizes[s] < sizes[s]);
                place = next(place);
                n++;
            } while (place != first);
            assert_int_equal(n, sizes[s] / LINE);
        }
    }
}

// In pages: each once, in lines by turns, so that they spread over a cache.
static void a_ring_of_pages_visits_each_page_once(void **state) {
    (void)state;
    enum { PAGE = 4096, N = 72 }; // not a power of two
    struct chase_memory chases;
    struct bench_code code = code_of(1, (size_t)N * PAGE);
    const struct bench_code *codes[] = {&code};
    unsigned n = 0, n_by_line[PAGE / LINE] = {0};
    code.chase.layout = BENCH_CHASE_PAGES;
    assert_true(chase_memory_open(&chases, codes, 1));
    assert_true(chases.small && !chases.start);
    chase_memory_make(&chases, &code);
    uintptr_t first = chases.places[0], place = first;
    bool are_seen[N] = {false};
    do {
        size_t page = (place - first) / PAGE;
        assert_true(page < N && !are_seen[page]);
        are_seen[page] = true;
        n_by_line[place % PAGE / LINE]++;
        place = next(place);
        n++;
    } while (place != first);
    assert_int_equal(n, N);
    for (unsigned i = 0; i < PAGE / LINE; i++)
        assert_in_range(n_by_line[i], 1, 2);
    chase_memory_leave(&chases, &code, N / 3); // three bodies in an iteration: whole rounds
    assert_int_equal(chases.places[0], first);
}

// In blocks: each line once, and all of a block before the next one.
static void a_ring_in_blocks_visits_one_after_the_other(void **state) {
    (void)state;
    enum { BLOCK_LINES = (1 << 17) / LINE, N = 2 * BLOCK_LINES + 5 };
    static bool are_seen[N];
    struct chase_memory chases;
    struct bench_code code = code_of(1, (size_t)N * LINE);
    const struct bench_code *codes[] = {&code};
    code.chase.layout = BENCH_CHASE_BLOCKS;
    assert_true(chase_memory_open(&chases, codes, 1));
    chase_memory_make(&chases, &code);
    uintptr_t first = chases.places[0], place = first;
    for (size_t i = 0; i < N; i++, place = next(place)) {
        size_t line = (place - first) / LINE;
        assert_true(line < N && !are_seen[line]);
        assert_int_equal(line / BLOCK_LINES, i / BLOCK_LINES);
        are_seen[line] = true;
    }
    assert_int_equal(place, first);
}

static void a_walk_goes_on_where_it_has_ended(void **state) {
    (void)state;
    struct chase_memory chases;
    struct bench_code code = code_of(2, 1 << 12);
    const struct bench_code *codes[] = {&code};
    uintptr_t buffer[(1 << 15) / sizeof(uintptr_t)], expected[2];
    assert_true(chase_memory_open(&chases, codes, 1));
    chase_memory_make(&chases, &code);
    for (unsigned i = 0; i < 2; i++) {
        expected[i] = chases.places[i];
        for (unsigned k = 0; k < 5 * code.bodies * code.chase.steps[i]; k++)
            expected[i] = next(expected[i]);
    }
    chase_memory_leave(&chases, &code, 5);
    chase_memory_enter(&chases, &code, buffer);
    assert_memory_equal((uint8_t *)buffer + BENCH_CHASES, expected, sizeof expected);
    // Made already: the walk does not begin anew.
    chase_memory_make(&chases, &code);
    assert_int_equal(chases.places[0], expected[0]);
}

static void code_without_chases_has_none(void **state) {
    (void)state;
    struct chase_memory chases;
    struct bench_code code = {.bodies = 1};
    const struct bench_code *codes[] = {&code};
    uint8_t nothing;
    assert_true(chase_memory_open(&chases, codes, 1));
    assert_null(chases.start);
    chase_memory_make(&chases, &code);
    chase_memory_enter(&chases, &code, &nothing);
    chase_memory_leave(&chases, &code, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_visits_each_line_once),
        cmocka_unit_test(a_ring_of_pages_visits_each_page_once),
        cmocka_unit_test(a_ring_in_blocks_visits_one_after_the_other),
        cmocka_unit_test(a_walk_goes_on_where_it_has_ended),
        cmocka_unit_test(code_without_chases_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
