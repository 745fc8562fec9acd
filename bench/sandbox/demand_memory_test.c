// Memory that appears: where, over which page, holding what, and how often.
#include "bench/sandbox/demand_memory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

// Far from what the system maps.
enum { FIRST = 0x2324000 };

static const struct bench_foreign rules = {
    .exit_offset = 32, .most_pages = 3, .frames = 2, .fill = 0x1122334455667788, .lowest_address = 0x10000};

static uintptr_t page_address(const struct demand_memory *memory, unsigned number) {
    return (FIRST / memory->page_bytes + number) * memory->page_bytes;
}

static void *at(uintptr_t address) {
    return (void *)address; // NOLINT(performance-no-int-to-ptr)
}

static uint64_t load(uintptr_t address) {
    uint64_t word;
    memcpy(&word, at(address), sizeof word);
    return word;
}

static void store(uintptr_t address, uint64_t word) {
    memcpy(at(address), &word, sizeof word);
}

static bool is_there(const struct demand_memory *memory, uintptr_t address) {
    return msync(at(address), memory->page_bytes, MS_ASYNC) == 0 || errno != ENOMEM;
}

static void open_memory(struct demand_memory *memory, struct bench_foreign wanted) {
    const struct bench_code code = {.foreign = wanted};
    const struct bench_code *const codes[] = {&code};
    assert_true(demand_memory_open(memory, codes, 1));
    demand_memory_start(memory, &wanted);
}

static void close_memory(struct demand_memory *memory) {
    demand_memory_start(memory, &(struct bench_foreign){0});
    if (memory->file >= 0)
        close(memory->file);
}

static void a_page_appears_where_it_is_touched(void **state) {
    (void)state;
    struct demand_memory memory;
    open_memory(&memory, rules);
    uintptr_t page = page_address(&memory, 0);
    assert_false(is_there(&memory, page));
    assert_int_equal(demand_memory_answer(&memory, page + 123), DEMAND_APPEARED);
    for (uintptr_t address = page; address < page + memory.page_bytes; address += 8)
        assert_true(load(address) == rules.fill);
    assert_false(is_there(&memory, page + memory.page_bytes));
    assert_int_equal(memory.n_pages, 1);
    assert_true(memory.pages[0].address == page);
    close_memory(&memory);
}

// Two views of one page change together; those of different pages do not.
static void pages_share_frames(void **state) {
    (void)state;
    struct demand_memory memory;
    open_memory(&memory, rules);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(demand_memory_answer(&memory, page_address(&memory, i)), DEMAND_APPEARED);
    store(page_address(&memory, 0) + 8, 5);
    assert_true(load(page_address(&memory, 2) + 8) == 5);
    assert_true(load(page_address(&memory, 1) + 8) == rules.fill);
    close_memory(&memory);
}

static void so_many_and_no_more(void **state) {
    (void)state;
    struct demand_memory memory;
    open_memory(&memory, rules);
    for (unsigned i = 0; i < rules.most_pages; i++)
        assert_int_equal(demand_memory_answer(&memory, page_address(&memory, i)), DEMAND_APPEARED);
    assert_int_equal(demand_memory_answer(&memory, page_address(&memory, rules.most_pages)), DEMAND_FULL);
    assert_false(is_there(&memory, page_address(&memory, rules.most_pages)));
    close_memory(&memory);
}

static void where_nothing_can_be(void **state) {
    (void)state;
    struct demand_memory memory;
    open_memory(&memory, rules);
    uint8_t here[64];
    assert_int_equal(demand_memory_answer(&memory, 0), DEMAND_REFUSED);
    assert_int_equal(demand_memory_answer(&memory, rules.lowest_address - 1), DEMAND_REFUSED);
    assert_int_equal(demand_memory_answer(&memory, (uintptr_t)here), DEMAND_REFUSED); // it is there
    assert_int_equal(demand_memory_answer(&memory, UINTPTR_MAX), DEMAND_REFUSED);     // the kernel's
    assert_int_equal(memory.n_pages, 0);
    close_memory(&memory);
    struct bench_foreign without_pages = rules;
    without_pages.most_pages = 0;
    without_pages.stores = true;
    open_memory(&memory, without_pages);
    demand_memory_fill(&memory);
    assert_int_equal(demand_memory_answer(&memory, FIRST), DEMAND_REFUSED);
    close_memory(&memory);
}

// The next code finds no page of the one before, as many as it may have itself, and its own values.
static void the_next_code_starts_anew(void **state) {
    (void)state;
    struct demand_memory memory;
    struct bench_foreign next = rules;
    next.fill = 7;
    next.frames = 1;
    open_memory(&memory, rules);
    for (unsigned i = 0; i < rules.most_pages; i++)
        assert_int_equal(demand_memory_answer(&memory, page_address(&memory, i)), DEMAND_APPEARED);
    demand_memory_start(&memory, &next);
    for (unsigned i = 0; i < rules.most_pages; i++)
        assert_false(is_there(&memory, page_address(&memory, i)));
    for (unsigned i = 0; i < rules.most_pages; i++)
        assert_int_equal(demand_memory_answer(&memory, page_address(&memory, i)), DEMAND_APPEARED);
    assert_true(load(page_address(&memory, 1)) == 7);
    store(page_address(&memory, 0), 8);
    assert_true(load(page_address(&memory, 1)) == 8); // one frame for all
    close_memory(&memory);
}

static void what_was_stored_is_filled_over(void **state) {
    (void)state;
    struct bench_foreign storing = rules;
    storing.stores = true;
    for (int stores = 0; stores < 2; stores++) {
        struct demand_memory memory;
        open_memory(&memory, stores ? storing : rules);
        uintptr_t page = page_address(&memory, 1);
        assert_int_equal(demand_memory_answer(&memory, page), DEMAND_APPEARED);
        store(page + memory.page_bytes - 8, 1);
        demand_memory_fill(&memory);
        assert_true(load(page + memory.page_bytes - 8) == (stores ? rules.fill : 1));
        assert_true(is_there(&memory, page));
        close_memory(&memory);
    }
}

// One place for all codes of a process: the greediest of them says how large its list is.
static void there_is_room_for_the_greediest(void **state) {
    (void)state;
    struct bench_foreign greedy = rules;
    greedy.most_pages = BENCH_MOST_PAGES;
    const struct bench_code one = {.foreign = rules}, other = {.foreign = greedy}, known = {0};
    const struct bench_code *const codes[] = {&one, &other, &known};
    struct demand_memory memory;
    assert_true(demand_memory_open(&memory, codes, 3));
    demand_memory_start(&memory, &greedy);
    for (unsigned i = 0; i < greedy.most_pages; i++)
        assert_int_equal(demand_memory_answer(&memory, page_address(&memory, 2 * i)), DEMAND_APPEARED);
    assert_int_equal(demand_memory_answer(&memory, page_address(&memory, 1)), DEMAND_FULL);
    close_memory(&memory);
}

static const struct bench_foreign own_rules = {.exit_offset = 32,
                                               .most_pages = 40,
                                               .is_own = true,
                                               .frames = 6,
                                               .fill = 0x1122334455667788,
                                               .lowest_address = 0x10000,
                                               .stores = true};

static void touch(struct demand_memory *memory, uintptr_t address) {
    if (!is_there(memory, address / memory->page_bytes * memory->page_bytes))
        assert_int_equal(demand_memory_answer(memory, address), DEMAND_APPEARED);
}

// Any number of pages, however far apart: a store to one changes no other. The next run finds each as at the start.
static void own_pages_share_nothing(void **state) {
    (void)state;
    struct demand_memory memory;
    open_memory(&memory, own_rules);
    for (unsigned i = 0; i < own_rules.most_pages; i++) {
        touch(&memory, page_address(&memory, 4 * i));
        store(page_address(&memory, 4 * i), i);
    }
    for (unsigned i = 0; i < own_rules.most_pages; i++)
        assert_true(load(page_address(&memory, 4 * i)) == i);
    assert_int_equal(memory.kind, MEMORY_OWN);
    demand_memory_fill(&memory);
    for (unsigned i = 0; i < own_rules.most_pages; i++)
        assert_true(load(page_address(&memory, 4 * i)) == own_rules.fill);
    close_memory(&memory);
}

// A run that loads from page i and stores to page i + 4, for each i below `n`.
static void walk(struct demand_memory *memory, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        touch(memory, page_address(memory, i));
        touch(memory, page_address(memory, i + 4));
        touch(memory, page_address(memory, i));
    }
}

static void pages_that_were_left_lend_their_memory(void **state) {
    (void)state;
    enum { STEPS = 30 };
    struct demand_memory memory;
    struct bench_foreign many = own_rules;
    many.frames = 12;
    open_memory(&memory, many);
    walk(&memory, 6);
    assert_false(demand_memory_wants_look(&memory)); // ten pages
    walk(&memory, STEPS);
    assert_true(demand_memory_wants_look(&memory));
    demand_memory_look_begin(&memory);
    walk(&memory, STEPS);
    demand_memory_look_end(&memory);
    assert_false(demand_memory_wants_look(&memory));
    assert_int_equal(memory.kind, MEMORY_TURNS);
    assert_int_equal(memory.n_pages, STEPS + 4);
    assert_true(memory.n_frames <= many.frames);
    for (unsigned i = 0; i < STEPS; i++) { // those in use at a time are apart, and all hold what they held at the start
        assert_true(is_there(&memory, page_address(&memory, i)));
        assert_true(load(page_address(&memory, i)) == many.fill);
        store(page_address(&memory, i + 4), 5);
        for (unsigned k = i; k < i + 4; k++)
            assert_true(load(page_address(&memory, k)) == many.fill);
        store(page_address(&memory, i + 4), many.fill);
    }
    demand_memory_end_turns(&memory);
    assert_int_equal(memory.kind, MEMORY_LARGE);
    assert_int_equal(memory.n_frames, STEPS + 4);
    close_memory(&memory);
}

// Accesses that may never fault: their pages are there for as many passes as wanted, as far as they may be.
static void pages_are_there_before_the_code(void **state) {
    (void)state;
    struct demand_memory memory;
    struct bench_foreign wanted = own_rules;
    open_memory(&memory, own_rules);
    const struct bench_touch touches[] = {{page_address(&memory, 0) + 4, 0, 8},
                                          {page_address(&memory, 3) - 32, 512, 64}};
    wanted.touches = touches;
    wanted.n_touches = 2;
    demand_memory_start(&memory, &wanted);
    assert_true(demand_memory_reach(&memory, 1));
    assert_int_equal(memory.n_pages, 3); // the second one crosses into another
    assert_true(is_there(&memory, page_address(&memory, 0)) && is_there(&memory, page_address(&memory, 3)));
    assert_true(demand_memory_reach(&memory, 1 + memory.page_bytes / 512));
    assert_int_equal(memory.n_pages, 4);
    assert_false(demand_memory_reach(&memory, 1000000000));
    assert_int_equal(memory.n_pages, own_rules.most_pages);
    close_memory(&memory);
}

// Some words hold something else than the rest, before each run.
static void patches_are_put_back(void **state) {
    (void)state;
    struct demand_memory memory;
    struct bench_foreign wanted = own_rules;
    for (int is_own = 0; is_own < 2; is_own++) {
        wanted.is_own = is_own;
        open_memory(&memory, wanted);
        uintptr_t page = page_address(&memory, 5);
        const struct bench_patch patches[] = {{page + 8, 16, {1, 2}, 2}, {page + 9, 1, {7}, 1}};
        wanted.patches = patches;
        wanted.n_patches = 2;
        demand_memory_start(&memory, &wanted);
        assert_int_equal(demand_memory_answer(&memory, page), DEMAND_APPEARED);
        for (int run = 0; run < 2; run++) {
            assert_true(load(page) == own_rules.fill && load(page + 24) == own_rules.fill);
            assert_true(*(uint8_t *)at(page + 8) == 1 && *(uint8_t *)at(page + 9) == 7);
            assert_true(*(uint8_t *)at(page + 10) == 1 && *(uint8_t *)at(page + 23) == 2);
            store(page + 8, 5);
            demand_memory_fill(&memory);
        }
        close_memory(&memory);
        wanted.n_patches = 0;
    }
}

static void a_limit_can_be_lifted(void **state) {
    (void)state;
    struct demand_memory memory;
    open_memory(&memory, own_rules);
    demand_memory_limit(&memory, memory.most_near - 1);
    for (unsigned i = 0; i + 1 < own_rules.frames; i++)
        touch(&memory, page_address(&memory, i));
    assert_false(memory.was_limited);
    assert_int_equal(demand_memory_answer(&memory, page_address(&memory, 99)), DEMAND_FULL);
    assert_true(memory.was_limited);
    demand_memory_lift(&memory);
    touch(&memory, page_address(&memory, 99));
    assert_false(memory.was_limited);
    close_memory(&memory);
    open_memory(&memory, rules); // shared ones have another limit
    demand_memory_limit(&memory, memory.most_near - 1);
    assert_int_equal(memory.most_pages, rules.most_pages);
    close_memory(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_appears_where_it_is_touched),
        cmocka_unit_test(pages_share_frames),
        cmocka_unit_test(so_many_and_no_more),
        cmocka_unit_test(where_nothing_can_be),
        cmocka_unit_test(the_next_code_starts_anew),
        cmocka_unit_test(what_was_stored_is_filled_over),
        cmocka_unit_test(there_is_room_for_the_greediest),
        cmocka_unit_test(own_pages_share_nothing),
        cmocka_unit_test(pages_that_were_left_lend_their_memory),
        cmocka_unit_test(pages_are_there_before_the_code),
        cmocka_unit_test(patches_are_put_back),
        cmocka_unit_test(a_limit_can_be_lifted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
