// What bytes are, of each ISA: instructions, the registers they touch, and whether a copy reads flags of the one
// before.
#include "blocks/decoder.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

struct decoded {
    struct arena arena;
    struct decoder decoder;
    struct block block;
    struct block_facts facts;
};

static bool decode(struct decoded *decoded, const char *isa, const char *hex) {
    struct fail fail = {0};
    *decoded = (struct decoded){0};
    struct arena *arena = &decoded->arena;
    if (!decoder_open(&decoded->decoder, arena, isa_find(isa), NULL, &fail))
        skip(); // no LLVM, or one without this target
    size_t n = strlen(hex) / 2;
    uint8_t *bytes = arena_alloc(arena, n);
    assert_true(bytes_from_hex(hex, n, bytes));
    if (!decoder_decode(&decoded->decoder, arena, bytes, n, &decoded->block, &fail)) {
        assert_int_not_equal(fail.status, FAIL_NONE);
        return false;
    }
    decoder_facts(&decoded->decoder, arena, &decoded->block, &decoded->facts);
    return true;
}

static void close_decoded(struct decoded *decoded) {
    decoder_close(&decoded->decoder);
    arena_free(&decoded->arena);
}

static void texts_have_spaces(void **state) {
    (void)state;
    static const struct {
        const char *isa, *hex, *text;
    } cases[] = {
        {"x86_64", "4801d8", "add rax, rbx"},
        {"x86_64", "f0480107", "lock add qword ptr [rdi], rax"},
        {"x86_64", "c3", "ret"},
        {"aarch64", "2000028b", "add x0, x1, x2"},
        {"riscv64", "3385c500", "add a0, a1, a2"},
        {"armv7", "020081e0", "add r0, r1, r2"},
        // What a plain CPU of the ISA need not have.
        {"aarch64", "20008265", "fadd z0.s, z1.s, z2.s"},
        {"aarch64", "2000e0b8", "ldaddal w0, w0, [x1]"},
        {"riscv64", "53f5c502", "fadd.d fa0, fa1, fa2"},
        {"riscv64", "0141", "li sp, 0"},
        {"riscv64", "33058502", "mul a0, a0, s0"},
        {"armv7", "440d02f2", "vadd.f32 q0, q1, q2"},
        {"armv7", "11f010e7", "sdiv r0, r1, r0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct decoded decoded;
        assert_true(decode(&decoded, cases[i].isa, cases[i].hex));
        assert_int_equal(decoded.block.n_insns, 1);
        assert_string_equal(decoded.block.insns[0].text, cases[i].text);
        close_decoded(&decoded);
    }
}

static void what_is_no_instruction_is_said(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"x86_64", "06"},       {"x86_64", "4801d848"}, {"x86_64", "4801d8f0"},
                                           {"x86_64", "4801d8f3"}, {"x86_64", "4801d866"}, {"aarch64", "200002"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct decoded decoded;
        assert_false(decode(&decoded, cases[i][0], cases[i][1]));
        close_decoded(&decoded);
    }
}

static void bytes_belong_to_instructions(void **state) {
    (void)state;
    struct decoded decoded;
    assert_true(decode(&decoded, "x86_64", "904801d8488b8700000100")); // nop; add; mov with four bytes of distance
    static const unsigned wanted[] = {0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3};
    static const unsigned char lengths[] = {1, 3, 7};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(block_insn_at(&decoded.block, i), wanted[i]);
    assert_int_equal(decoded.facts.n_instructions, 3);
    assert_memory_equal(decoded.facts.lengths, lengths, sizeof lengths);
    close_decoded(&decoded);
}

static bool is_among(const char *const *names, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(names[i], name) == 0)
            return true;
    return false;
}

static bool names(const struct block_facts *facts, const char *name) {
    return is_among(facts->registers, facts->n_registers, name);
}

// Also those that no text names.
static void registers_that_are_implied_count(void **state) {
    (void)state;
    static const struct {
        const char *isa, *hex, *used, *unused;
    } cases[] = {
        {"x86_64", "48f7e3", "rdx", "rcx"},    // mul rbx
        {"x86_64", "f348ab", "rcx", "rdx"},    // rep stosq
        {"x86_64", "f2ae", "rcx", "rdx"},      // repne scasb
        {"x86_64", "50", "rsp", "rbx"},        // push rax
        {"x86_64", "31c0", "eax", "ecx"},      // xor eax, eax
        {"x86_64", "00e3", "ah", "ch"},        // add bl, ah
        {"aarch64", "e00f1ff8", "sp", "x1"},   // str x0, [sp, #-16]!
        {"riscv64", "53f5c502", "f11", "f13"}, // fadd.d fa0, fa1, fa2
        {"armv7", "0f002de9", "r3", "r4"},     // push {r0 - r3}
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct decoded decoded;
        assert_true(decode(&decoded, cases[i].isa, cases[i].hex));
        bool has_used = names(&decoded.facts, cases[i].used);
        if (!has_used || names(&decoded.facts, cases[i].unused))
            fail_msg("%s %s: %s", cases[i].isa, cases[i].hex, has_used ? cases[i].unused : cases[i].used);
        close_decoded(&decoded);
    }
}

static void flags_of_the_copy_before(void **state) {
    (void)state;
    static const struct {
        const char *isa, *hex;
        bool reads;
    } cases[] = {
        {"x86_64", "4811d8", true},              // adc rax, rbx
        {"x86_64", "4801d8", false},             // add rax, rbx
        {"x86_64", "4839d80f92c1", false},       // cmp rax, rbx; setb cl
        {"x86_64", "0f92c14839d8", true},        // setb cl; cmp rax, rbx
        {"x86_64", "48ffc04811d8", true},        // inc rax; adc rax, rbx: inc leaves the carry
        {"x86_64", "48ffc00f94c1", false},       // inc rax; sete cl
        {"x86_64", "48ffc04839d84811d8", false}, // inc rax; cmp rax, rbx; adc rax, rbx
        {"x86_64", "48d1d0", true},              // rcl rax, 1
        {"x86_64", "480f42c3", true},            // cmovb rax, rbx
        {"aarch64", "2000029a", true},           // adc x0, x1, x2
        {"aarch64", "200002ab", false},          // adds x0, x1, x2
        {"armv7", "0200a1e0", true},             // adc r0, r1, r2
        {"armv7", "02008100", true},             // addeq r0, r1, r2
        {"riscv64", "3385c500", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct decoded decoded;
        assert_true(decode(&decoded, cases[i].isa, cases[i].hex));
        if (decoded.facts.reads_flags_of_before != cases[i].reads)
            fail_msg("%s %s", cases[i].isa, cases[i].hex);
        close_decoded(&decoded);
    }
}

static void each_machine_has_a_stack_pointer(void **state) {
    (void)state;
    static const char *const cases[][3] = {{"x86_64", "90", "RSP"},
                                           {"aarch64", "1f2003d5", "SP"},
                                           {"armv7", "00f020e3", "SP"},
                                           {"riscv64", "13000000", "X2"},
                                           {"mips", "00000000", "SP"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct decoded decoded;
        assert_true(decode(&decoded, cases[i][0], cases[i][1]));
        uint16_t number = decoder_stack_pointer(&decoded.decoder);
        assert_int_not_equal(number, 0);
        assert_string_equal(decoded.decoder.machine->registers[number].name, cases[i][2]);
        close_decoded(&decoded);
    }
}

static bool has_input(const struct block_facts *facts, const char *name) {
    return is_among(facts->inputs, facts->n_inputs, name);
}

static void inputs_are_those_of_any_way(void **state) {
    (void)state;
    static const struct {
        const char *hex, *name;
        bool is_input;
    } cases[] = {
        {"4885f67505c5f957c0c3c5fb59c0", "xmm0",
         true}, // test; jne; vxorpd xmm0, xmm0, xmm0; ret; vmulsd xmm0, xmm0, xmm0
        {"4885f67404c5f957c0c5fb59c0", "xmm0", true},    // test; je; vxorpd; vmulsd, where both ways meet
        {"c5f957c04885f67501c3c5fb59c0", "xmm0", false}, // vxorpd; test; jne; ret; vmulsd
        {"48c7c70100000048ffc775fb", "rdi", false},      // mov rdi, 1; inc rdi; jne back
        {"eb04c5fb59c0c3", "xmm0", true},                // jmp; vmulsd; ret: something else may lead there
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct decoded decoded;
        assert_true(decode(&decoded, "x86_64", cases[i].hex));
        assert_int_equal(has_input(&decoded.facts, cases[i].name), cases[i].is_input);
        close_decoded(&decoded);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_spaces),
        cmocka_unit_test(inputs_are_those_of_any_way),
        cmocka_unit_test(what_is_no_instruction_is_said),
        cmocka_unit_test(bytes_belong_to_instructions),
        cmocka_unit_test(registers_that_are_implied_count),
        cmocka_unit_test(flags_of_the_copy_before),
        cmocka_unit_test(each_machine_has_a_stack_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
