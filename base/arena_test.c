#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    struct arena arena = {0};
    for (size_t size = 0; size < 300; size++) {
        unsigned char *memory = arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xAA, size); // would show through if two allocations overlapped
    }
    arena_free(&arena);
    assert_null(arena.block);
}

static void larger_than_a_block(void **state) {
    (void)state;
    struct arena arena = {0};
    char *big = arena_alloc(&arena, 10 << 20);
    big[(10 << 20) - 1] = 1;
    char *small = arena_alloc(&arena, 1);
    assert_int_equal(*small, 0);
    arena_free(&arena);
}

static void arrays_grow_and_keep_their_items(void **state) {
    (void)state;
    struct arena arena = {0};
    int *items = NULL;
    for (int n = 0; n < 1000; n++) {
        items = arena_grow(&arena, items, (size_t)n, sizeof *items);
        items[n] = n;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    arena_free(&arena);
}

static void printf_of_any_length(void **state) {
    (void)state;
    struct arena arena = {0};
    const char *text = arena_printf(&arena, "%0*d", 5000, 7);
    assert_int_equal(strlen(text), 5000);
    assert_int_equal(text[4999], '7');
    assert_string_equal(arena_copy(&arena, "abc", 2), "ab");
    arena_free(&arena);
}

static void reset_keeps_room_and_zeroes_it(void **state) {
    (void)state;
    struct arena arena = {0};
    arena_reset(&arena);
    assert_null(arena.block);
    memset(arena_alloc(&arena, 100), 0xAA, 100);
    memset(arena_alloc(&arena, 1 << 20), 0xAA, 1 << 20);
    struct arena_block *newest = arena.block;
    for (int turn = 0; turn < 3; turn++) {
        arena_reset(&arena);
        unsigned char *memory = arena_alloc(&arena, 1 << 20);
        assert_ptr_equal(arena.block, newest);
        for (size_t i = 0; i < 1 << 20; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xAA, 1 << 20);
    }
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),     cmocka_unit_test(larger_than_a_block),
        cmocka_unit_test(arrays_grow_and_keep_their_items), cmocka_unit_test(printf_of_any_length),
        cmocka_unit_test(reset_keeps_room_and_zeroes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
