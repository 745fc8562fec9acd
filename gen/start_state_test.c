#include "gen/start_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static const struct isa *x86(void) {
    return isa_find("x86_64");
}

static const char *text_of(const struct isa *isa, const char *text) {
    struct start_state state = {0};
    struct fail fail = {0};
    if (!start_state_parse(&arena, isa, text, &state, &fail))
        return fail.text[0] ? arena_strdup(&arena, fail.text) : "no reason";
    return start_state_text(&arena, isa, &state);
}

static void texts_have_one_form(void **unused) {
    (void)unused;
    static const struct {
        const char *isa, *text, *wanted;
    } cases[] = {
        {"x86_64", "rcx=7", "rcx=0x07"},
        {"x86_64", " RCX = 7 , k1=-1", "rcx=0x07,k1=0xffffffffffffffff"},
        {"x86_64", "ecx=-1", "rcx=0xffffffff"},
        {"x86_64", "rcx=-2", "rcx=0xfffffffffffffffe"},
        {"x86_64", "rcx=1,rcx=2", "rcx=0x02"},
        {"x86_64", "xmm0=0x3ff00000000000004000000000000000", "xmm0=0x3ff00000000000004000000000000000"},
        {"x86_64", "xmm20=-1", "xmm20=0xffffffffffffffffffffffffffffffff"},
        {"x86_64", "mxcsr=0x1f80", "mxcsr=0x1f80"},
        {"x86_64", "mem[rdi+8]=5", "mem[rdi+0x8]=0x0000000000000005"},
        {"x86_64", "mem[ rdi - 0x10 ]=0x05", "mem[rdi-0x10]=0x0000000000000005"},
        {"x86_64", "mem[rdi]=-1", "mem[rdi]=0xffffffffffffffff"},
        {"x86_64", "mem[65536:4096]=0x7fffffff", "mem[0x10000:4096]=0x7fffffff"},
        {"x86_64", "mem[rsp:1]=255", "mem[rsp:1]=0xff"},
        {"armv7", "r3=7,mem[r1+4]=1", "r3=0x07,mem[r1+0x4]=0x00000001"},
        {"aarch64", "x1=-1,w2=-1", "x1=0xffffffffffffffff,x2=0xffffffff"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = text_of(isa_find(cases[i].isa), cases[i].text);
        assert_string_equal(text, cases[i].wanted);
        assert_string_equal(text_of(isa_find(cases[i].isa), text), text);
    }
}

static void mistakes_are_named(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"", "no initial value"},
        {"rcx", "'rcx' is no initial value"},
        {"rcx=7,", "no initial value"},
        {"=7", "no initial value"},
        {"rcx=", "no number"},
        {"rcx=seven", "no number"},
        {"rcx=0x", "no number"},
        {"rcx=--1", "no number"},
        {"rcx=99999999999999999999", "no number"},
        {"rcxx=7", "'rcxx' is no register"},
        {"cl=7", "'cl' is no register"},
        {"st0=7", "'st0' is no register"},
        {"ecx=0x100000000", "too wide for ecx"},
        {"ecx=-2147483649", "too wide for ecx"},
        {"rcx=0x10000000000000000", "too wide for rcx"},
        {"mxcsr=0x10000", "16 bits"},
        {"mem[]=7", "no initial value"},
        {"mem[rdi+]=7", "no initial value"},
        {"mem[rdi*8]=7", "no initial value"},
        {"mem[rdi+8=7", "no register"},
        {"mem[0x1ffffffffffffffff]=7", "no initial value"},
        {"mem[edi]=7", "no general register"},
        {"mem[xmm0]=7", "no general register"},
        {"mem[rdi:0]=7", "1 to 1048576 bytes"},
        {"mem[rdi:1048577]=7", "1 to 1048576 bytes"},
        {"mem[rdi:1]=256", "too wide for 1 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = text_of(x86(), cases[i].text);
        if (!strstr(text, cases[i].wanted))
            fail_msg("'%s': %s", cases[i].text, text);
    }
    assert_non_null(strstr(text_of(isa_find("riscv64"), "mxcsr=1"), "no register of riscv64"));
}

static void registers_and_memory_are_kept_apart(void **unused) {
    (void)unused;
    struct start_state state = {0};
    struct fail fail = {0};
    assert_null(start_state_text(&arena, x86(), &state));
    assert_true(start_state_parse(&arena, x86(), "mem[rdi+8:2]=-2,r9=-3,ymm1=0x01", &state, &fail));
    assert_int_equal(state.n_registers, 2);
    assert_string_equal(state.registers[0].name, "r9");
    assert_int_equal(state.registers[0].index, 9);
    assert_true(state_value_bits(&state.registers[0].value) == (uint64_t)-3);
    assert_int_equal(state.registers[1].class->bits, 256);
    assert_int_equal(state.n_memory, 1);
    assert_string_equal(state.memory[0].base, "rdi");
    assert_int_equal(state.memory[0].base_number, 7);
    assert_int_equal(state.memory[0].value.n, 2);
    assert_int_equal(state.memory[0].value.bytes[0], 0xfe);
}

static void the_last_value_of_a_register_holds(void **unused) {
    (void)unused;
    struct start_state state = {0};
    struct fail fail = {0};
    assert_true(
        start_state_parse(&arena, x86(), "ymm1=1,ecx=3,mxcsr=0x1f80,xmm1=2,rcx=4,xmm2=5,mxcsr=0x1fc0", &state, &fail));
    assert_string_equal(start_state_text(&arena, x86(), &state), "xmm1=0x02,rcx=0x04,mxcsr=0x1fc0,xmm2=0x05");
}

static void digits_are_read_without_0x(void **unused) {
    (void)unused;
    struct state_value value;
    assert_true(state_value_parse("7fffffff", 8, true, x86(), &value));
    assert_int_equal(value.n, 4);
    assert_true(state_value_bits(&value) == 0x7fffffff);
    assert_true(state_value_parse("123", 3, true, x86(), &value));
    assert_int_equal(value.n, 2);
    assert_true(state_value_bits(&value) == 0x123);
    assert_false(state_value_parse("12g", 3, true, x86(), &value));
    assert_false(state_value_parse("", 0, true, x86(), &value));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_one_form),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(registers_and_memory_are_kept_apart),
        cmocka_unit_test(the_last_value_of_a_register_holds),
        cmocka_unit_test(digits_are_read_without_0x),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
