#include "gen/gen.h"
#include "gen/testing.h"

#include "base/text.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void need_assembler(const char *isa_name) {
    const struct isa *isa = isa_find(isa_name);
    if (!testing_has_tool(isa == isa_native() ? "as" : isa->assembler))
        skip();
}

static bool assemble_one(struct arena *arena, struct program *program, struct fail *failure) {
    struct program *list[] = {program};
    return gen_assemble(arena, list, 1, failure);
}

static struct program expand(struct arena *arena, const struct kernel *kernel, enum program_mode mode,
                             enum program_form form, unsigned streams) {
    struct program program;
    struct fail failure = {0};
    struct gen_request request = {.mode = mode, .form = form, .streams = streams};
    if (!gen_expand(arena, kernel, &request, &program, &failure))
        fail_msg("%s", failure.text);
    return program;
}

static const char fma_zmm[] = "body: vfmadd231ps {acc:zmm}, {a:zmm}, {b:zmm}\nchain: acc";

static void bytes_and_ranges_are_those_of_the_body(void **state) {
    (void)state;
    need_assembler("x86_64");
    struct arena arena = {0};
    struct fail failure = {0};
    const struct kernel *kernel = testing_kernel_of(&arena, fma_zmm);
    struct program looped = expand(&arena, kernel, PROGRAM_THROUGHPUT, PROGRAM_LOOPED, 1);
    struct program unrolled = expand(&arena, kernel, PROGRAM_THROUGHPUT, PROGRAM_UNROLLED, 2);
    struct program *both[] = {&looped, &unrolled};
    if (!gen_assemble(&arena, both, 2, &failure))
        fail_msg("%s", failure.text);
    // vfmadd231ps zmm0, zmm1, zmm2; sub r15, 1; jnz back to the first byte
    static const uint8_t loop[] = {0x62, 0xf2, 0x75, 0x48, 0xb8, 0xc2, 0x49, 0x83, 0xef, 0x01, 0x75, 0xf4};
    assert_int_equal(looped.body_range.length, 6);
    assert_int_equal(looped.loop_range.length, sizeof loop);
    assert_int_equal(looped.loop_range.offset, looped.body_range.offset);
    assert_int_equal(looped.loop_range.offset % 64, 0);
    assert_memory_equal(looped.code + looped.loop_range.offset, loop, sizeof loop);
    assert_int_equal(looped.code[looped.code_bytes - 1], 0xc3); // ret
    // vfmadd231ps zmm0, zmm2, zmm3; vfmadd231ps zmm1, zmm2, zmm3, 128 times; sub; jnz with a displacement of 4 bytes
    static const uint8_t body[] = {0x62, 0xf2, 0x6d, 0x48, 0xb8, 0xc3, 0x62, 0xf2, 0x6d, 0x48, 0xb8, 0xcb};
    assert_int_equal(unrolled.unroll, 128);
    assert_int_equal(unrolled.body_range.length, sizeof body);
    assert_int_equal(unrolled.loop_range.length, 128 * sizeof body + 4 + 6);
    for (size_t i = 0; i < 128; i++)
        assert_memory_equal(unrolled.code + unrolled.body_range.offset + i * sizeof body, body, sizeof body);
    arena_free(&arena);
}

// Copies with a distance to something outside differ, so all of them are assembled; and so are directives, which may do
// something else in each.
static void copies_that_differ_are_assembled_one_by_one(void **state) {
    (void)state;
    need_assembler("x86_64");
    static const uint8_t distances[] = {0xf9, 0xf2, 0xeb}; // of each lea, of 7 bytes, to the begin of the loop
    struct arena arena = {0};
    struct fail failure = {0};
    const struct kernel *kernel = testing_kernel_of(&arena, "body: lea {d:r64}, [{d}]\nchain: d");
    struct program distance = expand(&arena, kernel, PROGRAM_LATENCY, PROGRAM_UNROLLED, 1), counts = distance;
    struct program *both[] = {&distance, &counts};
    distance.body = arena_printf(&arena, "lea rax, [rip + %s.loop]", distance.symbol);
    counts.symbol = "counts";
    counts.unroll = 4;
    counts.body = ".ifndef copy\n.set copy, 0\n.endif\n.set copy, copy + 1\n.byte copy"; // 1, 2, 3, 4
    if (!gen_assemble(&arena, both, 2, &failure))
        fail_msg("%s", failure.text);
    for (size_t i = 0; i < sizeof distances; i++)
        assert_int_equal(distance.code[distance.loop_range.offset + 7 * i + 3], distances[i]);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(counts.code[counts.loop_range.offset + i], 1 + i);
    arena_free(&arena);
}

static void both_syntaxes_give_the_same_bytes(void **state) {
    (void)state;
    need_assembler("x86_64");
    static const char *const texts[] = {
        ".intel_syntax noprefix\naddps xmm1, [rbx + 8]; imul rax, rcx; kxorw k1, k2, k3",
        ".att_syntax\naddps 8(%rbx), %xmm1; imul %rcx, %rax; kxorw %k3, %k2, %k1"};
    struct arena arena = {0};
    struct fail failure = {0};
    struct program programs[2], *list[] = {&programs[0], &programs[1]};
    for (unsigned i = 0; i < 2; i++)
        assert_true(
            testing_block(&arena, isa_find("x86_64"), NULL, "b", texts[i], PROGRAM_LOOPED, &programs[i], &failure));
    if (!gen_assemble(&arena, list, 2, &failure))
        fail_msg("%s", failure.text);
    assert_int_equal(programs[0].code_bytes, programs[1].code_bytes);
    assert_memory_equal(programs[0].code, programs[1].code, programs[0].code_bytes);
    arena_free(&arena);
}

static void what_as_rejects_is_at_its_line(void **state) {
    (void)state;
    need_assembler("x86_64");
    static const struct {
        const char *body; // lines of a "body: |"
        unsigned line;
        const char *text;
    } cases[] = {
        {"nop\n      # comment\n      vfmadd231zz {d:zmm}, {s:zmm}\n", 7, "as: no such instruction: `vfmadd231zz zmm"},
        {"nop; nop\n\n      imul {d:r64}, {d:r64}, {d:r64}, 3\n", 7, "as: number of operands mismatch for `imul'"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        const char *yaml =
            arena_printf(&arena, "isa: x86_64\nkernels:\n  - name: k\n    body: |\n      %s", cases[i].body);
        const struct kernel *kernel = testing_kernel(&arena, yaml);
        const struct kernel *good = testing_kernel_of(&arena, "body: nop");
        for (int form = PROGRAM_UNROLLED; form <= PROGRAM_LOOPED; form++) {
            struct fail failure = {0};
            struct program first = expand(&arena, good, PROGRAM_THROUGHPUT, PROGRAM_UNROLLED, 4);
            struct program second = expand(&arena, kernel, PROGRAM_THROUGHPUT, (enum program_form)form, 3);
            struct program *list[] = {&first, &second};
            assert_false(gen_assemble(&arena, list, 2, &failure));
            assert_int_equal(failure.status, FAIL_INPUT);
            assert_string_equal(failure.file, kernel->file);
            assert_int_equal(failure.line, cases[i].line);
            if (!text_starts(failure.text, cases[i].text))
                fail_msg("got %s", failure.text);
        }
        arena_free(&arena);
    }
}

static void a_block_s_mistake_is_at_its_own_line(void **state) {
    (void)state;
    need_assembler("x86_64");
    static const struct {
        const char *text;
        unsigned line;
        const char *words;
    } cases[] = {
        {"nop\n\nfrobnicate eax\n", 3, "as: no such instruction: `frobnicate eax'"},
        {"nop\ncall elsewhere\n", 2, "'elsewhere' is neither a register nor a label here"},
        {"nop\nmov rax, offset 1f\n1: nop\n", 1, "this needs an address that only a linker could place"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct fail failure = {0};
        struct program program;
        assert_true(testing_block(&arena, isa_find("x86_64"), "intel", "my.s", cases[i].text, PROGRAM_UNROLLED,
                                  &program, &failure));
        assert_false(assemble_one(&arena, &program, &failure));
        assert_int_equal(failure.status, FAIL_INPUT);
        assert_string_equal(failure.file, "my.s");
        assert_int_equal(failure.line, cases[i].line);
        if (!text_starts(failure.text, cases[i].words))
            fail_msg("got %s", failure.text);
        assert_null(program.code);
        arena_free(&arena);
    }
}

static void a_missing_assembler_is_unavailable(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail failure = {0};
    struct program program = expand(&arena, testing_kernel_of(&arena, "body: nop"), PROGRAM_BLOCK, PROGRAM_LOOPED, 1);
    setenv("CYCLOPS_AS", "no-such-assembler", 1);
    assert_false(assemble_one(&arena, &program, &failure));
    unsetenv("CYCLOPS_AS");
    assert_int_equal(failure.status, FAIL_UNAVAILABLE);
    assert_string_equal(failure.text,
                        "there is no assembler 'no-such-assembler', which environment variable CYCLOPS_AS names");
    char *path = arena_strdup(&arena, getenv("PATH"));
    failure = (struct fail){0};
    setenv("PATH", "/nowhere", 1);
    assert_false(assemble_one(&arena, &program, &failure));
    setenv("PATH", path, 1);
    assert_int_equal(failure.status, FAIL_UNAVAILABLE);
    assert_non_null(strstr(failure.text, "install package binutils"));
    arena_free(&arena);
}

static void an_assembler_that_fails_is_quoted(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail failure = {0};
    struct program program = expand(&arena, testing_kernel_of(&arena, "body: nop"), PROGRAM_BLOCK, PROGRAM_LOOPED, 1);
    setenv("CYCLOPS_AS", "false", 1);
    assert_false(assemble_one(&arena, &program, &failure));
    assert_int_equal(failure.status, FAIL_WORK);
    assert_string_equal(failure.text, "the assembler 'false' failed: it printed nothing");
    failure = (struct fail){0};
    setenv("CYCLOPS_AS", "true", 1); // writes no object
    assert_false(assemble_one(&arena, &program, &failure));
    unsetenv("CYCLOPS_AS");
    assert_int_equal(failure.status, FAIL_WORK);
    arena_free(&arena);
}

// Programs that have no mistake are assembled beside those that have some, whatever it takes to tell which.
static void a_mistake_costs_its_own_program(void **state) {
    (void)state;
    need_assembler("x86_64");
    static const struct {
        const char *body;
        bool is_refused;
        const char *words; // of its error begin so
    } cases[] = {
        {"body: nop", false, NULL},
        {"body: pon", true, "as: no such instruction: `pon'"},
        {"body: 'add {d:r64}, 1'", false, NULL},
        {"body: mov rax, offset somewhere", true, "'somewhere' is neither a register nor a label here"},
        {"body: 'inc {d:r64}'", false, NULL},
        {"body: 'nop; .if 1'", true, "as: here is the start of the unterminated conditional"},
        {"body: 'dec {d:r64}; .else'", true, "as: "},
        {"body: 'mul {d:r64}'", false, NULL},
    };
    enum { N = sizeof cases / sizeof *cases };
    struct arena arena = {0};
    struct program programs[N], *list[N];
    struct gen_errors errors;
    struct fail failure = {0};
    for (unsigned i = 0; i < N; i++) {
        programs[i] = expand(&arena, testing_kernel_of(&arena, cases[i].body), PROGRAM_BLOCK, PROGRAM_LOOPED, 1);
        list[i] = &programs[i];
    }
    assert_true(gen_assemble_each(&arena, list, N, &errors, &failure));
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(errors.mistakes[i] != NULL, cases[i].is_refused);
        if (cases[i].is_refused)
            assert_true(text_starts(errors.mistakes[i], cases[i].words));
        assert_int_equal(programs[i].code == NULL, cases[i].is_refused);
        bool is_said = !cases[i].is_refused;
        for (size_t e = 0; e < errors.n; e++)
            is_said |= strcmp(errors.items[e].file, programs[i].file) == 0 &&
                       text_starts(errors.items[e].text, cases[i].words);
        if (!is_said)
            fail_msg("no error of '%s'", cases[i].body);
    }
    assert_int_equal(errors.n, 4);
    arena_free(&arena);
}

static void each_line_has_one_error(void **state) {
    (void)state;
    need_assembler("x86_64");
    struct arena arena = {0};
    struct gen_errors errors;
    struct fail failure = {0};
    const struct kernel *kernel =
        testing_kernel_of(&arena, "body: |\n  adz {d:r64}, {s:r64}\n  nop\n  add {d}, {x:xmm}\nchain: d");
    struct program programs[] = {expand(&arena, kernel, PROGRAM_LATENCY, PROGRAM_LOOPED, 1),
                                 expand(&arena, kernel, PROGRAM_THROUGHPUT, PROGRAM_UNROLLED, 5)};
    struct program *list[] = {&programs[0], &programs[1]};
    assert_true(gen_assemble_each(&arena, list, 2, &errors, &failure));
    assert_int_equal(errors.n, 2);
    assert_int_equal(errors.items[0].line, 5);
    assert_int_equal(errors.items[1].line, 7);
    assert_true(errors.mistakes[0] && errors.mistakes[1]);
    arena_free(&arena);
}

static unsigned count_entries(const char *path) {
    unsigned n = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

static void nothing_is_left_behind(void **state) {
    (void)state;
    need_assembler("x86_64");
    struct arena arena = {0};
    struct fail failure = {0};
    char folder[] = "/tmp/cyclops-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    unsigned files_open = count_entries("/proc/self/fd");
    setenv("TMPDIR", folder, 1);
    struct program good = expand(&arena, testing_kernel_of(&arena, "body: nop"), PROGRAM_BLOCK, PROGRAM_LOOPED, 1);
    struct program bad = expand(&arena, testing_kernel_of(&arena, "body: pon"), PROGRAM_BLOCK, PROGRAM_LOOPED, 1);
    assert_true(assemble_one(&arena, &good, &failure));
    assert_false(assemble_one(&arena, &bad, &failure));
    assert_int_equal(count_entries(folder), 2); // . and ..
    assert_int_equal(count_entries("/proc/self/fd"), files_open);
    rmdir(folder);
    failure = (struct fail){0};
    assert_true(assemble_one(&arena, &good, &failure)); // and no folder is needed
    unsetenv("TMPDIR");
    arena_free(&arena);
}

// The same program twice, and more programs than fit in a small file.
static void hundreds_share_one_run(void **state) {
    (void)state;
    need_assembler("x86_64");
    enum { N = 300 };
    struct arena arena = {0};
    struct fail failure = {0};
    const struct kernel *kernel = testing_kernel_of(&arena, fma_zmm);
    struct program programs[N], *list[N];
    for (unsigned i = 0; i < N; i++) {
        programs[i] = expand(&arena, kernel, PROGRAM_THROUGHPUT, (enum program_form)(i % 2), 1 + i / 2 % 12);
        list[i] = &programs[i];
    }
    if (!gen_assemble(&arena, list, N, &failure))
        fail_msg("%s", failure.text);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(programs[i].body_range.length, 6 * (1 + i / 2 % 12));
    assert_int_equal(programs[0].code_bytes, programs[24].code_bytes);
    assert_memory_equal(programs[0].code, programs[24].code, programs[0].code_bytes);
    arena_free(&arena);
}

static void aarch64_is_cross_assembled(void **state) {
    (void)state;
    need_assembler("aarch64");
    struct arena arena = {0};
    struct fail failure = {0};
    struct program program;
    assert_true(testing_block(&arena, isa_find("aarch64"), NULL, "b", "fmla v0.4s, v1.4s, v2.4s", PROGRAM_LOOPED,
                              &program, &failure));
    if (!assemble_one(&arena, &program, &failure))
        fail_msg("%s", failure.text);
    // fmla v0.4s, v1.4s, v2.4s; subs x15, x15, #1; b.ne back to the first
    static const uint8_t loop[] = {0x20, 0xcc, 0x22, 0x4e, 0xef, 0x05, 0x00, 0xf1, 0xc1, 0xff, 0xff, 0x54};
    assert_int_equal(program.body_range.length, 4);
    assert_int_equal(program.loop_range.length, sizeof loop);
    assert_memory_equal(program.code + program.loop_range.offset, loop, sizeof loop);
    assert_true(testing_block(&arena, isa_find("aarch64"), NULL, "b.s", "nop\nfmla v0.4x, v1.4s, v2.4s", PROGRAM_LOOPED,
                              &program, &failure));
    assert_false(assemble_one(&arena, &program, &failure));
    assert_int_equal(failure.line, 2);
    arena_free(&arena);
}

static const char emitted[] = "    .text\n"
                              "\n"
                              "# k: throughput of 2 streams, unrolled\n"
                              "    .intel_syntax noprefix\n"
                              "    .globl k_throughput_n2_x128\n"
                              "    .type k_throughput_n2_x128, %function\n"
                              "    .balign 64\n"
                              "k_throughput_n2_x128:\n"
                              "    # save the caller's registers; r15 counts iterations down\n"
                              "    push rbx\n"
                              "    push rbp\n"
                              "    push r12\n"
                              "    push r13\n"
                              "    push r14\n"
                              "    push r15\n"
                              "    mov r15, rdi\n"
                              "    mov [rsi], rsi\n"
                              "    # initial values\n"
                              "    vpxord zmm0, zmm0, zmm0\n"
                              "    vpxord zmm2, zmm2, zmm2\n"
                              "    vpxord zmm3, zmm3, zmm3\n"
                              "    vpxord zmm1, zmm1, zmm1\n"
                              "    # nothing of this may be in flight when the loop begins\n"
                              "    mfence\n"
                              "    lfence\n"
                              "    .balign 64\n"
                              "k_throughput_n2_x128.loop:\n"
                              "    .rept 128\n"
                              "    vfmadd231ps zmm0, zmm2, zmm3\n"
                              "    vfmadd231ps zmm1, zmm2, zmm3\n"
                              "    .endr\n"
                              "k_throughput_n2_x128.body_end:\n"
                              "    sub r15, 1\n"
                              "    jnz k_throughput_n2_x128.loop\n"
                              "k_throughput_n2_x128.loop_end:\n"
                              "    vzeroupper\n"
                              "    cld\n"
                              "    pop r15\n"
                              "    pop r14\n"
                              "    pop r13\n"
                              "    pop r12\n"
                              "    pop rbp\n"
                              "    pop rbx\n"
                              "    ret\n"
                              "    .size k_throughput_n2_x128, . - k_throughput_n2_x128\n"
                              "\n"
                              "    .section .note.GNU-stack, \"\", %progbits\n";

static void the_text_is_what_a_person_would_write(void **state) {
    (void)state;
    struct arena arena = {0};
    struct text out = {.arena = &arena};
    struct program program =
        expand(&arena, testing_kernel_of(&arena, fma_zmm), PROGRAM_THROUGHPUT, PROGRAM_UNROLLED, 2);
    const struct program *list[] = {&program};
    gen_emit(&arena, list, 1, &out);
    assert_string_equal(out.data, emitted);
    arena_free(&arena);
}

// Nothing of MMX and x87 is left behind, and the set-up of MMX registers is no x87 code.
static void mmx_and_x87_are_left_empty(void **state) {
    (void)state;
    static const struct {
        const char *keys, *setup, *exit; // null: none of both
    } kernels[] = {
        {"body: paddb {d:mm}, {s:mm}\nchain: d", "    pxor mm0, mm0\n", "    emms\n    cld\n"},
        {"body: paddb {d:mm}, {s:mm}\nchain: d\ninit: {d: 3}", "    movq mm0, [rsi - 64]\n", "    emms\n    cld\n"},
        {"body: fchs\nimplicit: [st0]\nsetup: fninit; fld1\nchain: st0", "    fninit; fld1\n", "    fninit\n    cld\n"},
        {"body: paddb {d:xmm}, {s:xmm}\nchain: d", "    xorps xmm0, xmm0\n", NULL},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct arena arena = {0};
        struct text out = {.arena = &arena};
        struct program program =
            expand(&arena, testing_kernel_of(&arena, kernels[i].keys), PROGRAM_LATENCY, PROGRAM_LOOPED, 1);
        const struct program *list[] = {&program};
        gen_emit(&arena, list, 1, &out);
        assert_non_null(strstr(out.data, kernels[i].setup));
        assert_true(kernels[i].exit ? strstr(out.data, kernels[i].exit) != NULL
                                    : !strstr(out.data, "emms") && !strstr(out.data, "fninit"));
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_ranges_are_those_of_the_body),
        cmocka_unit_test(copies_that_differ_are_assembled_one_by_one),
        cmocka_unit_test(both_syntaxes_give_the_same_bytes),
        cmocka_unit_test(what_as_rejects_is_at_its_line),
        cmocka_unit_test(a_block_s_mistake_is_at_its_own_line),
        cmocka_unit_test(a_missing_assembler_is_unavailable),
        cmocka_unit_test(an_assembler_that_fails_is_quoted),
        cmocka_unit_test(a_mistake_costs_its_own_program),
        cmocka_unit_test(each_line_has_one_error),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(hundreds_share_one_run),
        cmocka_unit_test(aarch64_is_cross_assembled),
        cmocka_unit_test(the_text_is_what_a_person_would_write),
        cmocka_unit_test(mmx_and_x87_are_left_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
