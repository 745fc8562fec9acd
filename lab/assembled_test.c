// Programs of earlier passes: which are the same, and what a plan takes from them.
#include "lab/assembled.h"
#include "lab/experiment.h"
#include "lab/plan_assemble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <string.h>

#include <cmocka.h>

static const char kernels_text[] = "isa: x86_64\nsyntax: intel\nkernels:\n"
                                   "  - {name: a, body: 'add {x:r64}, 1', chain: x}\n"
                                   "  - {name: b, body: 'add {x:r64}, 2', chain: x}\n";

// Expands a kernel, as a pass of a survey does.
static struct program expand(struct arena *arena, const char *name, enum program_form form, unsigned unroll) {
    struct kernel_set set = {0};
    struct program program = {0};
    struct fail fail = {0};
    assert_true(kernel_load_text(arena, "k.yaml", kernels_text, isa_find("x86_64"), &set, &fail));
    const struct kernel *kernel = kernel_find(arena, &set, name, &fail);
    struct gen_request request = {.mode = PROGRAM_LATENCY, .form = form, .unroll = unroll};
    assert_true(kernel && gen_expand(arena, kernel, &request, &program, &fail));
    return program;
}

static void the_same_text_has_the_same_bytes(void **state) {
    (void)state;
    struct arena arena = {0}, lasting = {0};
    struct assembled assembled = {.arena = &lasting};
    struct program first = expand(&arena, "a", PROGRAM_UNROLLED, 4), *list[] = {&first};
    struct fail fail = {0};
    assert_true(gen_assemble(&arena, list, 1, &fail));
    struct program again = expand(&arena, "a", PROGRAM_UNROLLED, 4);
    assert_false(assembled_find(&assembled, &again));
    assembled_add(&assembled, &first);
    assert_true(assembled_find(&assembled, &again));
    assert_int_equal(again.code_bytes, first.code_bytes);
    assert_memory_equal(again.code, first.code, first.code_bytes);
    assert_ptr_not_equal(again.code, first.code); // those of the first pass are freed
    assert_memory_equal(&again.body_range, &first.body_range, sizeof first.body_range);
    assert_memory_equal(&again.loop_range, &first.loop_range, sizeof first.loop_range);
    assert_int_equal(again.instructions, first.instructions);
    struct program others[] = {expand(&arena, "b", PROGRAM_UNROLLED, 4), expand(&arena, "a", PROGRAM_UNROLLED, 5),
                               expand(&arena, "a", PROGRAM_LOOPED, 0)};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(assembled_find(&assembled, &others[i]));
    again.has_own_stack = true;
    assert_false(assembled_find(&assembled, &again));
    arena_free(&lasting);
    arena_free(&arena);
}

// Adds an experiment with this program to a new plan, and assembles it.
static const uint8_t *assemble(struct arena *arena, const struct program *program, struct assembled *assembled) {
    struct plan plan = {.assembled = assembled};
    struct program *chains[N_CHAINS] = {NULL};
    struct fail fail = {0};
    struct experiment *experiment = plan_add(arena, &plan);
    experiment->program = *program;
    assert_true(plan_assemble(arena, chains, &plan, &fail));
    return experiment->program.code;
}

static void a_plan_takes_what_an_earlier_one_left(void **state) {
    (void)state;
    struct arena lasting = {0};
    struct assembled assembled = {.arena = &lasting};
    const uint8_t *code[3];
    for (unsigned pass = 0; pass < 3; pass++) {
        struct arena arena = {0};
        struct program program = expand(&arena, "a", PROGRAM_UNROLLED, 4);
        code[pass] = assemble(&arena, &program, &assembled);
        assert_non_null(code[pass]);
        arena_free(&arena);
    }
    assert_ptr_equal(code[1], code[2]);
    arena_free(&lasting);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_text_has_the_same_bytes),
        cmocka_unit_test(a_plan_takes_what_an_earlier_one_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
