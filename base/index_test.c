#include "base/index.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void an_empty_one_holds_nothing(void **state) {
    (void)state;
    const struct index index = {0};
    size_t place = 0;
    assert_int_equal(index_next(&index, 7, &place), INDEX_END);
}

static void each_item_is_found_once(void **state) {
    (void)state;
    enum { N = 10000 };
    struct arena arena = {0};
    struct index index = {.arena = &arena};
    for (size_t i = 0; i < N; i++)
        index_add(&index, bytes_hash(&i, sizeof i), i);
    for (size_t i = 0; i < N; i++) {
        size_t place = 0;
        assert_int_equal(index_next(&index, bytes_hash(&i, sizeof i), &place), i);
        assert_int_equal(index_next(&index, bytes_hash(&i, sizeof i), &place), INDEX_END);
    }
    size_t place = 0, other = N;
    assert_int_equal(index_next(&index, bytes_hash(&other, sizeof other), &place), INDEX_END);
    arena_free(&arena);
}

// Half of them have one hash; those of the others lie around it.
static void items_with_one_hash_are_told_apart_by_the_caller(void **state) {
    (void)state;
    struct arena arena = {0};
    struct index index = {.arena = &arena};
    for (size_t i = 0; i < 100; i++)
        index_add(&index, i % 2 ? 63 : 64 + (uint64_t)i, i);
    bool is_seen[100] = {false};
    size_t n = 0;
    for (size_t place = 0, i; (i = index_next(&index, 63, &place)) != INDEX_END; n++) {
        assert_true(i % 2 && !is_seen[i]);
        is_seen[i] = true;
    }
    assert_int_equal(n, 50);
    size_t place = 0;
    assert_int_equal(index_next(&index, 64 + 98, &place), 98);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_one_holds_nothing),
        cmocka_unit_test(each_item_is_found_once),
        cmocka_unit_test(items_with_one_hash_are_told_apart_by_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
