#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void hexadecimal_comes_back(void **state) {
    (void)state;
    struct arena arena = {0};
    static const uint8_t bytes[] = {0x00, 0x48, 0x01, 0xd8, 0xff};
    uint8_t read[5];
    assert_string_equal(bytes_to_hex(&arena, bytes, sizeof bytes), "004801d8ff");
    assert_string_equal(bytes_to_hex(&arena, bytes, 0), "");
    assert_true(bytes_from_hex("004801d8ff", sizeof read, read));
    assert_memory_equal(read, bytes, sizeof read);
    assert_false(bytes_from_hex("48g1", 2, read));
    assert_false(bytes_from_hex("48F1", 2, read));
    assert_false(bytes_from_hex("480", 2, read));
    assert_false(bytes_from_hex("48", 2, read));
    arena_free(&arena);
}

static void people_write_bytes_in_many_ways(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t n_read, n_digits;
    } cases[] = {{"4801d8", 6, 6},
                 {"48 01 D8", 8, 6},
                 {"0x4801d8", 8, 6},
                 {"\\x48\\x01\\xd8", 12, 6},
                 {"0x48 0x01 0xd8", 14, 6},
                 {"48 1", 4, 3},
                 {"48 01 g", 6, 4},
                 {"4 801d8", 1, 1},
                 {"", 0, 0},
                 {"  ", 2, 0},
                 {"48,01", 2, 2},
                 {"0x", 2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[16] = {0};
        size_t n_digits, n_read = bytes_from_people(cases[i].text, strlen(cases[i].text), bytes, &n_digits);
        assert_int_equal(n_read, cases[i].n_read);
        assert_int_equal(n_digits, cases[i].n_digits);
        assert_true(n_digits < 6 || memcmp(bytes, "\x48\x01\xd8", 3) == 0);
    }
}

// Test vectors of the algorithm's authors.
static void hashes_are_the_published_ones(void **state) {
    (void)state;
    assert_true(bytes_hash("", 0) == 0xcbf29ce484222325);
    assert_true(bytes_hash_32("foobar", 6) == 0xbf9cf968);
    assert_true(bytes_hash("a", 1) == 0xaf63dc4c8601ec8c);
    assert_true(bytes_hash("foobar", 6) == 0x85944171f73967e8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hexadecimal_comes_back),
        cmocka_unit_test(people_write_bytes_in_many_ways),
        cmocka_unit_test(hashes_are_the_published_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
