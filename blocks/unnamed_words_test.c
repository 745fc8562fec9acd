// Which blocks change a word of memory that no register addresses, and when that may decide their time.
#include "blocks/unnamed_words.h"

#include "blocks/testing_decoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool decide(const char *hex, double cycles) {
    struct block block = testing_decode(hex);
    return unnamed_words_decide(testing_decoder.machine, &block, cycles);
}

static void words_without_a_register(void **state) {
    (void)state;
    assert_true(decide("4801042500000040ffc975f4", 6.1));   // add [0x40000000], rax; dec ecx; jne
    assert_true(decide("4801042500000040ffc975f4", 1));     // its other time
    assert_true(decide("654801042500000040ffc975f3", 6.1)); // add gs:[0x40000000], rax: thread-local data
    assert_true(decide("480105f9ff0f00ffc975f5", 6.1));     // add [rip + 0xffff9], rax
    assert_false(decide("4801042500000040ffc975f4", 6.6));  // something else takes longer
    assert_false(decide("480107ffc975f9", 6.1));            // add [rdi], rax
    assert_false(decide("480104fd00000040ffc975f4", 6.1));  // add [0x40000000 + 8 * rdi], rax
    assert_false(decide("488b042500000040ffc975f4", 1));    // mov rax, [0x40000000]
    assert_false(decide("4889042500000040ffc975f4", 1));    // mov [0x40000000], rax
}

static void several_changes_of_one_word(void **state) {
    (void)state;
    // add [0x40000000], rax; add [0x40000000], rax
    assert_true(decide("48010425000000404801042500000040", 12.2));
    // the same with another word
    assert_false(decide("48010425000000404801042508000040", 12.2));
    // add [rip + 8], rax; add [rip + 1], rax: one word
    assert_true(decide("4801050800000048010501000000", 12.2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_without_a_register),
        cmocka_unit_test(several_changes_of_one_word),
    };
    return cmocka_run_group_tests(tests, testing_decoder_open, testing_decoder_close);
}
