// The kernel folders: every kernel expands in every mode and assembles.
#include "gen/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assemble_everything(const char *isa_name) {
    const struct isa *isa = isa_find(isa_name);
    if (!testing_has_tool(isa == isa_native() ? "as" : isa->assembler))
        skip();
    struct fail failure = {0};
    struct testing_set all = {0};
    testing_expand_all(&all, isa_name);
    if (!gen_assemble(&all.arena, all.programs, all.n_programs, &failure))
        fail_msg("%s:%u: %s", failure.file, failure.line, failure.text);
    for (size_t i = 0; i < all.n_programs; i++) {
        const struct program *program = all.programs[i];
        assert_true(program->body_range.length > 0);
        assert_int_equal(program->body_range.offset % 64, 0);
        assert_true(program->loop_range.length > program->unroll * program->body_range.length);
        assert_true(program->loop_range.offset + program->loop_range.length < program->code_bytes);
    }
    arena_free(&all.arena);
}

static void all_of_x86_64_assemble(void **state) {
    (void)state;
    assemble_everything("x86_64");
}

static void all_of_aarch64_assemble(void **state) {
    (void)state;
    assemble_everything("aarch64");
}

static void the_kernels_that_others_name_are_there(void **state) {
    (void)state;
    static const char *const x86[] = {
        "add-r64",    "imul-r64",   "lea-r64",    "load-r64",   "store-r64",  "nop",          "addps-xmm",
        "mulps-xmm",  "vaddps-xmm", "vaddps-ymm", "vaddps-zmm", "vaddpd-xmm", "vaddpd-ymm",   "vaddpd-zmm",
        "vmulps-xmm", "vmulps-ymm", "vmulps-zmm", "vmulpd-xmm", "vmulpd-ymm", "vmulpd-zmm",   "fma-xmm-ps",
        "fma-ymm-ps", "fma-zmm-ps", "fma-xmm-pd", "fma-ymm-pd", "fma-zmm-pd", "addps-add-mix"};
    static const char *const aarch64[] = {"add-x",    "mul-x",    "fadd-v4s", "fadd-v2d", "fmul-v4s",
                                          "fmul-v2d", "fmla-v4s", "fmla-v2d", "load-x",   "nop"};
    struct testing_set a = {0}, b = {0};
    struct fail failure = {0};
    testing_expand_all(&a, "x86_64");
    for (unsigned i = 0; i < sizeof x86 / sizeof *x86; i++)
        assert_non_null(kernel_find(&a.arena, &a.kernels, x86[i], &failure));
    testing_expand_all(&b, "aarch64");
    for (unsigned i = 0; i < sizeof aarch64 / sizeof *aarch64; i++)
        assert_non_null(kernel_find(&b.arena, &b.kernels, aarch64[i], &failure));
    arena_free(&a.arena);
    arena_free(&b.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_x86_64_assemble),
        cmocka_unit_test(all_of_aarch64_assemble),
        cmocka_unit_test(the_kernels_that_others_name_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
