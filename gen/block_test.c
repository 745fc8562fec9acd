#include "gen/gen.h"
#include "gen/testing.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NOP ".byte 0x90\n"

static const struct {
    unsigned source;
    const char *isa, *syntax, *text;
    enum program_form form;
    const char *body, *counter, *found_syntax;
} blocks[] = {
    {__LINE__, "x86_64", NULL, "imul rax, rax; add rbx, rax", PROGRAM_UNROLLED, "imul rax, rax\nadd rbx, rax\n", "r15",
     "intel"},
    {__LINE__, "x86_64", NULL, "imul %rax, %rax\n", PROGRAM_UNROLLED, "imul %rax, %rax\n", "r15", "att"},
    {__LINE__, "x86_64", "att", "nop", PROGRAM_UNROLLED, "nop\n", "r15", "att"},
    {__LINE__, "x86_64", "att", ".intel_syntax noprefix\nnop", PROGRAM_UNROLLED, "nop\n", "r15", "intel"},
    {__LINE__, "x86_64", NULL, "  .att_syntax\n  push $1\n", PROGRAM_UNROLLED, "push $1\n", "r15", "att"},
    // any width takes the register
    {__LINE__, "x86_64", NULL, "inc R15D; inc r14b", PROGRAM_LOOPED, "inc R15D\ninc r14b\n", "r13", "intel"},
    {__LINE__, "x86_64", NULL, "movw %r15w, %r13w; incq 8(%r14)", PROGRAM_LOOPED, "movw %r15w, %r13w\nincq 8(%r14)\n",
     "r12", "att"},
    // comments, empty lines
    {__LINE__, "x86_64", NULL, "# r15 is free\nnop # r15\n\n/* r15\n */ nop // r15\n", PROGRAM_LOOPED, "nop\nnop\n",
     "r15", "intel"},
    {__LINE__, "aarch64", NULL, "add x15, x14, #1 // one\n# line\nfmla v0.4s, v1.4s, v2.4s", PROGRAM_LOOPED,
     "add x15, x14, #1\nfmla v0.4s, v1.4s, v2.4s\n", "x13", ""},
    {__LINE__, "aarch64", NULL, "cmp w15, w30\nldp q0, q1, [x14]", PROGRAM_LOOPED, "cmp w15, w30\nldp q0, q1, [x14]\n",
     "x13", ""},
    // other names of registers, and lists of them
    {__LINE__, "armv7", NULL, "add v8, v8, a1", PROGRAM_LOOPED, "add v8, v8, a1\n", "r10", ""},
    {__LINE__, "armv7", NULL, "ldm r0, {r4-r11}", PROGRAM_LOOPED, "ldm r0, {r4-r11}\n", "r3", ""},
    {__LINE__, "armv7", NULL, "ldm r0, {v4 - fp}; mov r6, r0", PROGRAM_LOOPED, "ldm r0, {v4 - fp}\nmov r6, r0\n", "r5",
     ""},
    {__LINE__, "armv7", NULL, "sub r0, r0, r11; rsb r0, #-3", PROGRAM_LOOPED, "sub r0, r0, r11\nrsb r0, #-3\n", "r10",
     ""},
    // what compilers write around a function
    {__LINE__, "x86_64", NULL,
     "\t.file\t\"a.c\"\n\t.text\n\t.p2align 4\n\t.globl\tf\n\t.type\tf, @function\nf:\n\t.cfi_startproc\n\tinc "
     "eax\n\t.cfi_endproc\n\t.size\tf, .-f\n\t.section\t.note.GNU-stack,\"\",@progbits\n",
     PROGRAM_UNROLLED, "inc eax\n", "r15", "intel"},
    // labels
    {__LINE__, "x86_64", NULL, "1: dec eax\njnz 1b", PROGRAM_UNROLLED, "1: dec eax\njnz 1b\n", "r15", "intel"},
    {__LINE__, "x86_64", NULL, ".L1:\ndec eax\njz .L1\n.L10: nop", PROGRAM_LOOPED,
     "900000:\ndec eax\njz 900000b\nnop\n", "r15", "intel"},
    {__LINE__, "x86_64", NULL, "jz over; self: jmp self; over: lea rax, [rip + self]", PROGRAM_UNROLLED,
     "jz 900002f\n900001: jmp 900001b\n900002: lea rax, [rip + 900001b]\n", "r15", "intel"},
    {__LINE__, "x86_64", NULL, ".byte 0x90; .ascii \"a;#b\"", PROGRAM_LOOPED, ".byte 0x90\n.ascii \"a;#b\"\n", "r15",
     "intel"},
};

static void blocks_are_read_as_expected(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct arena arena = {0};
        struct program program;
        struct fail failure = {0};
        if (!testing_block(&arena, isa_find(blocks[i].isa), blocks[i].syntax, "text", blocks[i].text, blocks[i].form,
                           &program, &failure))
            fail_msg("%s:%u: %s", __FILE__, blocks[i].source, failure.text);
        if (strcmp(program.body, blocks[i].body) != 0 || strcmp(program.loop_counter, blocks[i].counter) != 0 ||
            strcmp(program.syntax, blocks[i].found_syntax) != 0)
            fail_msg("%s:%u: got counter %s, syntax '%s', body\n%s", __FILE__, blocks[i].source, program.loop_counter,
                     program.syntax, program.body);
        assert_int_equal(program.mode, PROGRAM_BLOCK);
        assert_int_equal(program.streams, 1);
        arena_free(&arena);
    }
}

static const struct {
    unsigned source;
    const char *text;
    enum program_form form;
    unsigned line, column;
    const char *message; // begins with
} refused[] = {
    {__LINE__, "", PROGRAM_LOOPED, 0, 0, "there is no instruction in it"},
    {__LINE__, "# nothing\n.text\n", PROGRAM_LOOPED, 0, 0, "there is no instruction in it"},
    {__LINE__, "nop\n.macro m\nnop\n.endm\n", PROGRAM_UNROLLED, 2, 1, "this would differ from copy to copy"},
    {__LINE__, "nop\n.include \"x.s\"\n", PROGRAM_LOOPED, 2, 1, "a block must be whole in itself"},
    {__LINE__, "nop\n  nop; iretq\n", PROGRAM_LOOPED, 2, 8, "'iretq' would leave the loop"},
    {__LINE__, "nop\n.data\n.long 3", PROGRAM_LOOPED, 2, 1, "a block holds code only"},
    {__LINE__, "nop\n.section .rodata\n", PROGRAM_LOOPED, 2, 1, "a block holds code only"},
    {__LINE__, "nop\n.p2align 4\nnop", PROGRAM_UNROLLED, 2, 1, "this would differ from copy to copy"},
    {__LINE__, "nop\n.att_syntax\nnop", PROGRAM_UNROLLED, 2, 1, "the syntax changes inside the block"},
};

static void what_is_no_block_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct arena arena = {0};
        struct program program;
        struct fail failure = {0};
        bool done = testing_block(&arena, isa_find("x86_64"), NULL, "b.s", refused[i].text, refused[i].form, &program,
                                  &failure);
        if (done || failure.status != FAIL_INPUT || failure.line != refused[i].line ||
            failure.column != refused[i].column || strcmp(failure.file, "b.s") != 0 ||
            !text_starts(failure.text, refused[i].message))
            fail_msg("%s:%u: got %u:%u: %s", __FILE__, refused[i].source, failure.line, failure.column, failure.text);
        arena_free(&arena);
    }
}

// Armv7 leaves by many ways, and some of its instructions use more than they name.
static void armv7_shows_what_it_does(void **state) {
    (void)state;
    static const struct {
        const char *text, *result; // loop counter; or null: it would leave the loop
    } cases[] = {
        {"bx lr", NULL},
        {"bxeq lr", NULL},
        {"BX r3", NULL},
        {"pop {r4, pc}", NULL},
        {"popne {r4-r11, PC}", NULL},
        {"pop {r4 - r15}", NULL},
        {"ldmia sp!, {r4, pc}", NULL},
        {"ldmfd r0, {pc}^", NULL},
        {"mov pc, lr", NULL},
        {"movs r15, r14", NULL},
        {"ldr pc, [r0]", NULL},
        {"subs pc, lr, #4", NULL},
        {"pop {r4, r5}", "r11"},
        {"push {r4, pc}", "r11"},
        {"str pc, [r0]", "r11"},
        {"mov r0, pc", "r11"},
        {"add r0, pc, #4", "r11"},
        {"add pc, pc, #0", "r11"},
        {"cmp pc, r0", "r11"},
        {"ldrd r10, [r1]", "r9"},
        {"ldrd r10, r11, [r1]", "r9"},
        {"ldrdeq sl, [r1]", "r9"},
        {"strd r10, [r1, r3]", "r9"},
        {"strexd r0, r10, [r1]", "r9"},
        {"ldrexd r10, r11, [r8]", "r9"},
        {"ldrd r4, r5, [r10]", "r11"},
        {"ldr r10, [r1]", "r11"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct program program;
        struct fail failure = {0};
        bool is_block =
            testing_block(&arena, isa_find("armv7"), NULL, "b", cases[i].text, PROGRAM_LOOPED, &program, &failure);
        if (is_block != (cases[i].result != NULL) || (!is_block && !strstr(failure.text, "would leave the loop")) ||
            (is_block && strcmp(program.loop_counter, cases[i].result) != 0))
            fail_msg("%s: %s", cases[i].text, is_block ? program.loop_counter : failure.text);
        arena_free(&arena);
    }
}

static void registers_start_as_documented(void **state) {
    (void)state;
    struct arena arena = {0};
    struct program program;
    struct fail failure = {0};
    assert_true(testing_block(&arena, isa_find("x86_64"), NULL, "b",
                              "addps xmm1, [rsp]; vaddps zmm1, zmm17, zmm2; kxnorw k3, k3, k3", PROGRAM_LOOPED,
                              &program, &failure));
    assert_string_equal(
        program.setup,
        "mov dword ptr [rsi - 64], 4294967295\nmov dword ptr [rsi - 60], 4294967295\nkmovq k3, [rsi - 64]\n"
        "vpxord zmm1, zmm1, zmm1\nvpxord zmm2, zmm2, zmm2\nvpxord zmm17, zmm17, zmm17\n"
        "mov rsp, 36734976\n"
        "mov eax, 36732928\nmov ecx, 36732928\nmov edx, 36732928\nmov ebx, 36732928\n"
        "mov ebp, 36734960\nmov esi, 36732928\nmov edi, 36732928\nmov r8d, 36732928\n"
        "mov r9d, 36732928\nmov r10d, 36732928\nmov r11d, 36732928\nmov r12d, 36732928\n"
        "mov r13d, 36732928\nmov r14d, 36732928\n");
    assert_true(testing_block(&arena, isa_find("aarch64"), NULL, "b", "ldr x16, [x18]; movi v9.4s, #1", PROGRAM_LOOPED,
                              &program, &failure));
    assert_non_null(strstr(program.setup, "movi v9.2d, #0\nmovz x16, #34816\nmovk x16, #560, lsl #16\nmov sp, x16\n"));
    assert_non_null(strstr(program.setup, "movz x16, #32768\nmovk x16, #560, lsl #16\nmovz x17, #32768\n"));
    assert_null(strstr(program.setup, "movz x15,"));
    assert_true(testing_block(&arena, isa_find("aarch64"), NULL, "b", "ld1 {v3.4s - v5.4s}, [x0]", PROGRAM_LOOPED,
                              &program, &failure));
    assert_non_null(strstr(program.setup, "movi v3.2d, #0\nmovi v4.2d, #0\nmovi v5.2d, #0\nmovz x16, "));
    arena_free(&arena);
}

static void lines_are_those_of_the_text(void **state) {
    (void)state;
    struct arena arena = {0};
    struct program program;
    struct fail failure = {0};
    assert_true(testing_block(&arena, isa_find("x86_64"), NULL, "b", "# head\nnop; inc eax\n\n/*\n*/ dec eax\n",
                              PROGRAM_UNROLLED, &program, &failure));
    assert_int_equal(program.body_lines, 3);
    assert_int_equal(program.lines[0], 2);
    assert_int_equal(program.lines[1], 2);
    assert_int_equal(program.lines[2], 5);
    assert_int_equal(program.unroll, GEN_BLOCK_INSTRUCTIONS / 3);
    assert_string_equal(program.label, "nop");
    arena_free(&arena);
}

static void callers_differ_in_branches_and_length(void **state) {
    (void)state;
    static const struct {
        const char *body;
        unsigned lines;
    } wanted[] = {
        [CALLER_PLAIN] = {"call 899997f\n", 1},
        [CALLER_BRANCHES] = {"jmp 899995f\n899995:\ncall 899997f\n", 3},
        [CALLER_IDLES] = {"call 899997f\n" NOP NOP NOP NOP NOP NOP NOP NOP, 9},
    };
    for (unsigned caller = CALLER_PLAIN; caller <= CALLER_IDLES; caller++) {
        struct arena arena = {0};
        struct program program;
        struct fail failure = {0};
        const struct block_source source = {.isa = isa_find("x86_64"), .name = "f", .text = "nop; ret"};
        const struct block_request request = {.form = PROGRAM_LOOPED, .is_routine = true, .caller = caller};
        assert_true(gen_block(&arena, &source, &request, &program, &failure));
        assert_string_equal(program.body, wanted[caller].body);
        assert_int_equal(program.body_lines, wanted[caller].lines);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_read_as_expected), cmocka_unit_test(what_is_no_block_is_refused),
        cmocka_unit_test(armv7_shows_what_it_does),    cmocka_unit_test(registers_start_as_documented),
        cmocka_unit_test(lines_are_those_of_the_text), cmocka_unit_test(callers_differ_in_branches_and_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
