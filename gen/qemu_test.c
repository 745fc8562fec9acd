// Runs AArch64's programs under qemu: what they compute is checked, and that they end.
#include "base/file.h"
#include "base/text.h"
#include "gen/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// A program for Linux that runs all programs with the rules of AAPCS64, checks that what they have to save survived,
// and exits 0; 1 where a register did not survive; 2 where a word has not the value that is expected in it.
static const char start_head[] = "    .text\n"
                                 "    .globl _start\n"
                                 "_start:\n"
                                 "    mov x27, sp\n";
static const char start_tail[] = "    mov x0, #0\n"
                                 "finish:\n"
                                 "    mov x8, #93\n"
                                 "    svc #0\n"
                                 "lost:\n"
                                 "    mov x0, #1\n"
                                 "    b finish\n"
                                 "wrong:\n"
                                 "    mov x0, #2\n"
                                 "    b finish\n"
                                 "    .bss\n"
                                 "    .balign 64\n"
                                 "memory:\n"
                                 "    .space 65536\n";

static const char load_middle[] = "    adrp x1, memory + 32768\n"
                                  "    add x1, x1, :lo12:memory + 32768\n";

static void add_call(struct text *out, const char *symbol, unsigned iterations) {
    text_addf(out, "    mov x0, #%u\n", iterations);
    text_add(out, load_middle);
    for (unsigned i = 19; i <= 29; i++)
        if (i != 27) // keeps the stack pointer
            text_addf(out, "    mov x%u, #%u\n", i, 100 + i);
    for (unsigned i = 8; i <= 15; i++)
        text_addf(out, "    fmov d%u, x%u\n", i, i == 15 ? 19 : i + 12);
    text_addf(out, "    bl %s\n", symbol);
    for (unsigned i = 19; i <= 29; i++)
        if (i != 27)
            text_addf(out, "    cmp x%u, #%u\n    b.ne lost\n", i, 100 + i);
    for (unsigned i = 8; i <= 14; i++)
        text_addf(out, "    fmov x0, d%u\n    cmp x0, x%u\n    b.ne lost\n", i, i + 12);
    text_add(out, "    fmov x0, d15\n    cmp x0, x19\n    b.ne lost\n"
                  "    mov x0, sp\n    cmp x0, x27\n    b.ne lost\n");
}

static void add_expectation(struct text *out, unsigned offset, unsigned value) {
    text_add(out, load_middle);
    text_addf(out, "    ldr x0, [x1, #%u]\n    cmp x0, #%u\n    b.ne wrong\n", offset, value);
}

static void run_under_qemu(struct arena *arena, const struct text *source) {
    char folder[] = "/tmp/cyclops-test-XXXXXX";
    struct fail failure = {0};
    assert_non_null(mkdtemp(folder));
    const char *text = arena_printf(arena, "%s/start.s", folder), *object = arena_printf(arena, "%s/start.o", folder),
               *program = arena_printf(arena, "%s/start", folder);
    assert_true(file_write(text, source->data, source->length, &failure));
    int as = testing_run((const char *const[]){"aarch64-linux-gnu-as", "-o", object, text, NULL});
    int ld = as ? -1 : testing_run((const char *const[]){"aarch64-linux-gnu-ld", "-o", program, object, NULL});
    int qemu = ld ? -1 : testing_run((const char *const[]){"qemu-aarch64", program, NULL});
    testing_run((const char *const[]){"rm", "-rf", folder, NULL});
    assert_int_equal(as, 0);
    assert_int_equal(ld, 0);
    assert_int_equal(qemu, 0);
}

static void need_qemu(void) {
    static const char *const tools[] = {"aarch64-linux-gnu-as", "aarch64-linux-gnu-ld", "qemu-aarch64"};
    for (unsigned i = 0; i < 3; i++)
        if (!testing_has_tool(tools[i]))
            skip();
}

static struct text emit(struct arena *arena, struct program *const *programs, size_t n_programs) {
    const struct program **list = ARENA_ARRAY(arena, const struct program *, n_programs);
    for (size_t i = 0; i < n_programs; i++)
        list[i] = programs[i];
    struct text out = {.arena = arena};
    gen_emit(arena, list, n_programs, &out);
    text_add(&out, start_head);
    return out;
}

static void every_kernel_runs_to_its_end(void **state) {
    (void)state;
    need_qemu();
    struct testing_set all = {0};
    testing_expand_all(&all, "aarch64");
    struct text source = emit(&all.arena, all.programs, all.n_programs);
    for (size_t i = 0; i < all.n_programs; i++)
        add_call(&source, all.programs[i]->symbol, 10);
    text_add(&source, start_tail);
    run_under_qemu(&all.arena, &source);
    arena_free(&all.arena);
}

static void bodies_run_as_often_as_they_say(void **state) {
    (void)state;
    need_qemu();
    static const char text[] = "ldr x2, [x3, #8]; add x2, x2, #1; str x2, [x30, #8]; fmov d8, x2; mov x19, x2";
    for (int form = PROGRAM_UNROLLED; form <= PROGRAM_LOOPED; form++) {
        struct arena arena = {0};
        struct program program, *list[] = {&program};
        struct fail failure = {0};
        assert_true(
            gen_block(&arena, isa_find("aarch64"), NULL, "count", text, (enum program_form)form, &program, &failure));
        struct text source = emit(&arena, list, 1);
        add_call(&source, program.symbol, 10);
        add_expectation(&source, 8, 10 * program.unroll);
        text_add(&source, start_tail);
        run_under_qemu(&arena, &source);
        arena_free(&arena);
    }
}

// Each kernel stores its value behind the middle, once.
static void initial_values_are_in_every_lane(void **state) {
    (void)state;
    need_qemu();
    static const struct {
        const char *body, *init;
        unsigned low, high; // halves of the second word from the middle
    } cases[] = {
        {"str {a:x}, [{p:x}, #16]", "p: memory, a: 70000", 70000, 0},
        {"str {a:x}, [{p:x}, #16]", "p: memory, a: -1", 0xffffffff, 0xffffffff},
        {"str {a:w}, [{p:x}, #16]", "p: memory, a: -1", 0xffffffff, 0},
        {"str {a:q}, [{p:x}, #8]", "p: memory, a: f32 1.5", 0x3fc00000, 0x3fc00000},
        {"str {a:q}, [{p:x}, #8]", "p: memory, a: f64 -2", 0, 0xc0000000},
        {"str {a:q}, [{p:x}, #8]", "p: memory, a: i8 -2", 0xfefefefe, 0xfefefefe},
        {"str {a:q}, [{p:x}, #8]", "p: memory, a: i16 3", 0x00030003, 0x00030003},
        {"ldr {a:x}, [{p:x}]; sub {a:x}, {a:x}, {p:x}; str {a:x}, [{p:x}, #16]", "p: memory", 0, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct program program, *list[] = {&program};
        struct fail failure = {0};
        struct gen_request request = {.mode = PROGRAM_BLOCK, .form = PROGRAM_LOOPED};
        const char *yaml = arena_printf(&arena, "isa: aarch64\nkernels:\n  - name: k\n    body: '%s'\n    init: {%s}\n",
                                        cases[i].body, cases[i].init);
        assert_true(gen_expand(&arena, testing_kernel(&arena, yaml), &request, &program, &failure));
        struct text source = emit(&arena, list, 1);
        add_call(&source, program.symbol, 1);
        text_add(&source, load_middle);
        text_addf(&source, "    ldr x0, [x1, #16]\n    ldr x2, =0x%08x%08x\n    cmp x0, x2\n    b.ne wrong\n",
                  cases[i].high, cases[i].low);
        text_add(&source, start_tail);
        run_under_qemu(&arena, &source);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_runs_to_its_end),
        cmocka_unit_test(bodies_run_as_often_as_they_say),
        cmocka_unit_test(initial_values_are_in_every_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
