// The kernel folders: every kernel expands in every mode and assembles, to the bytes that its printed text gives.
#include "gen/emit.h"
#include "gen/object.h"
#include "gen/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// gen_assemble lets as read two copies of most bodies; the printed text has all of them.
static void compare_with_whole_text(struct testing_set *all, const struct isa *isa) {
    struct arena *arena = &all->arena;
    struct fail failure = {0};
    struct text text = {.arena = arena};
    const struct program **texts = ARENA_ARRAY(arena, const struct program *, all->n_programs);
    struct program **wholes = ARENA_ARRAY(arena, struct program *, all->n_programs);
    const void *object;
    size_t n_object;
    for (size_t i = 0; i < all->n_programs; i++) {
        texts[i] = wholes[i] = ARENA_NEW(arena, struct program);
        *wholes[i] = *all->programs[i];
        wholes[i]->code = NULL;
    }
    const struct emit_place *places = emit_programs(arena, texts, all->n_programs, false, &text);
    if (!gen_assemble_text(arena, isa, "text", text.data, &object, &n_object, NULL, &failure) ||
        !object_read(arena, object, n_object, wholes, places, all->n_programs, &failure))
        fail_msg("%s", failure.text);
    for (size_t i = 0; i < all->n_programs; i++) {
        assert_int_equal(all->programs[i]->code_bytes, wholes[i]->code_bytes);
        assert_memory_equal(all->programs[i]->code, wholes[i]->code, wholes[i]->code_bytes);
        assert_memory_equal(&all->programs[i]->loop_range, &wholes[i]->loop_range, sizeof wholes[i]->loop_range);
        assert_int_equal(all->programs[i]->instructions, wholes[i]->instructions);
    }
}

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
    compare_with_whole_text(&all, isa);
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

static void all_of_armv7_assemble(void **state) {
    (void)state;
    assemble_everything("armv7");
}

static void all_of_mips_assemble(void **state) {
    (void)state;
    assemble_everything("mips");
    assemble_everything("mipsel");
}

static void all_of_riscv64_assemble(void **state) {
    (void)state;
    assemble_everything("riscv64");
}

static void the_kernels_that_others_name_are_there(void **state) {
    (void)state;
    static const struct {
        const char *isa, *names[32];
    } wanted[] = {
        {"x86_64",
         {"add-r64",    "imul-r64",   "lea-r64",    "load-r64",   "store-r64",  "nop",           "addps-xmm",
          "mulps-xmm",  "vaddps-xmm", "vaddps-ymm", "vaddps-zmm", "vaddpd-xmm", "vaddpd-ymm",    "vaddpd-zmm",
          "vmulps-xmm", "vmulps-ymm", "vmulps-zmm", "vmulpd-xmm", "vmulpd-ymm", "vmulpd-zmm",    "fma-xmm-ps",
          "fma-ymm-ps", "fma-zmm-ps", "fma-xmm-pd", "fma-ymm-pd", "fma-zmm-pd", "addps-add-mix", "five-adds"}},
        {"aarch64",
         {"add-x", "mul-x", "fadd-v4s", "fadd-v2d", "fmul-v4s", "fmul-v2d", "fmla-v4s", "fmla-v2d", "load-x", "nop",
          "five-adds"}},
        {"armv7",
         {"add-r", "mul-r", "mla-r", "five-adds", "vmla-i16-chain", "vmla-i16-then-vadd", "neon-add-and-load"}},
        {"mips", {"addu-r", "mul-r", "five-adds", "madd", "madd-then-addu"}},
        {"mipsel", {"addu-r", "mul-r", "five-adds"}},
        {"riscv64", {"add-x", "mul-x", "five-adds", "fmadd-d"}},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct arena arena = {0};
        struct kernel_set set = {0};
        struct fail failure = {0};
        assert_true(kernel_load_folder(&arena, CYCLOPS_KERNELS, wanted[i].isa, &set, &failure));
        for (const char *const *name = wanted[i].names; *name; name++) {
            const struct kernel *kernel = kernel_find(&arena, &set, *name, &failure);
            if (!kernel)
                fail_msg("%s: %s", wanted[i].isa, failure.text);
            else
                assert_string_equal(kernel->isa->name, wanted[i].isa);
        }
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_x86_64_assemble),  cmocka_unit_test(all_of_aarch64_assemble),
        cmocka_unit_test(all_of_armv7_assemble),   cmocka_unit_test(all_of_mips_assemble),
        cmocka_unit_test(all_of_riscv64_assemble), cmocka_unit_test(the_kernels_that_others_name_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
