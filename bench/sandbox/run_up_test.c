// Each process enters a loop behind another number of instructions, of the same length in all.
#include "bench/sandbox/run_up.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BEFORE = 40, LOOP = 4, NOP = 0x90, HALT = 0xf4 };

static uint8_t bytes[BEFORE + LOOP];

static struct bench_code loop_behind(unsigned n_nops) {
    memset(bytes, HALT, sizeof bytes);
    memset(bytes + BEFORE - n_nops, NOP, n_nops);
    return (struct bench_code){.bytes = bytes,
                               .n_bytes = sizeof bytes,
                               .bodies = 1,
                               .body = bytes + BEFORE,
                               .n_body_bytes = LOOP,
                               .foreign = {.exit_offset = 8}};
}

// Number of no-operations in these bytes; 0: something else is among them.
static unsigned count(const uint8_t *at) {
    unsigned n = 0, end = RUN_UP_BYTES;
    for (unsigned i = 0; i < end; n++) {
        if (at[i] == 0x66)
            i++;
        if (at[i] == NOP)
            i++;
        else if (at[i] == 0x0f && at[i + 1] == 0x1f) {
            uint8_t operand = at[i + 2];
            i += 3 + (operand % 8 == 4 ? 1U : 0U) + (operand >= 0x80 ? 4U : operand >= 0x40 ? 1U : 0U);
        } else
            return 0;
        if (i > end)
            return 0;
    }
    return n;
}

static void each_number_is_that_of_the_instructions(void **state) {
    (void)state;
    for (unsigned number = 0; number < 2 * RUN_UP_BYTES; number++) {
        struct bench_code code = loop_behind(RUN_UP_BYTES + 3);
        uint8_t copy[sizeof bytes];
        memcpy(copy, bytes, sizeof bytes);
        run_up_vary(copy, &code, number);
#if defined(__x86_64__)
        assert_int_equal(count(copy + BEFORE - RUN_UP_BYTES), 2 + number % 15);
#endif
        assert_memory_equal(copy, bytes, BEFORE - RUN_UP_BYTES);
        assert_memory_equal(copy + BEFORE, bytes + BEFORE, LOOP);
    }
}

static void other_code_stays_as_it_is(void **state) {
    (void)state;
    uint8_t copy[sizeof bytes];
    struct bench_code code = loop_behind(RUN_UP_BYTES - 1);
    memcpy(copy, bytes, sizeof bytes);
    run_up_vary(copy, &code, 1);
    assert_memory_equal(copy, bytes, sizeof bytes);
    code = loop_behind(RUN_UP_BYTES);
    code.foreign.exit_offset = 0; // known code
    memcpy(copy, bytes, sizeof bytes);
    run_up_vary(copy, &code, 1);
    assert_memory_equal(copy, bytes, sizeof bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_number_is_that_of_the_instructions),
        cmocka_unit_test(other_code_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
