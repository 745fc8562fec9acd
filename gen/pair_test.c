#include "gen/gen.h"
#include "gen/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char add[] = "body: add {d:r64}, {s:r64}\nchain: d\nrequires: [avx, bmi]\nsetup: fninit";
static const char load[] = "body: mov {d:r64}, [{p:r64}]\nwrites: d\ninit: {p: memory}\nrequires: [sse2, avx]";
static const char multiply[] = "body: mul {s:r64}\nimplicit: [rax, rdx]";

static struct program expand(struct arena *arena, const struct kernel *first, const struct kernel *second,
                             unsigned streams) {
    struct kernel pair;
    struct program program = {0};
    struct fail failure = {0};
    struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .streams = streams};
    if (!gen_pair(arena, first, second, &pair, &failure) || !gen_expand(arena, &pair, &request, &program, &failure)) {
        fail_msg("%s", failure.text);
        abort(); // fail_msg does not come back, but the analyzer cannot see that
    }
    return program;
}

static void streams_take_turns_on_registers_of_their_own(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct kernel *a = testing_kernel_of(&arena, add), *b = testing_kernel_of(&arena, load);
    struct program program = expand(&arena, a, b, 2);
    assert_string_equal(program.body, "add rax, rbp\nmov rcx, [rdi]\nadd rdx, rbp\nmov rbx, [rdi]\n");
    assert_int_equal(program.instructions, 4);
    assert_int_equal(program.body_lines, 4);
    assert_string_equal(program.kernel, "k+k");
    program = expand(&arena, b, a, 1);
    assert_int_equal(strncmp(program.body, "mov ", 4), 0);
    arena_free(&arena);
}

static void what_either_needs_the_pair_has(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct kernel *a = testing_kernel_of(&arena, add), *b = testing_kernel_of(&arena, load);
    struct program program = expand(&arena, a, b, 1);
    const char *const features[] = {"avx", "bmi", "sse2"};
    for (int i = 0; i < 3; i++)
        assert_string_equal(program.features[i], features[i]);
    assert_null(program.features[3]);
    assert_non_null(strstr(program.setup, "fninit\n"));
    program = expand(&arena, a, testing_kernel_of(&arena, multiply), 0);
    assert_null(strstr(program.body, "rax"));
    assert_null(strstr(program.body, "rdx"));
    arena_free(&arena);
}

static void too_many_streams_are_told(void **state) {
    (void)state;
    struct arena arena = {0};
    struct kernel pair;
    struct program program;
    struct fail failure = {0};
    const struct kernel *a = testing_kernel_of(&arena, add);
    struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .streams = 8};
    assert_true(gen_pair(&arena, a, a, &pair, &failure));
    assert_false(gen_expand(&arena, &pair, &request, &program, &failure));
    assert_non_null(strstr(failure.text, "k+k"));
    arena_free(&arena);
}

static void syntaxes_do_not_mix(void **state) {
    (void)state;
    struct arena arena = {0};
    struct kernel pair;
    struct fail failure = {0};
    const struct kernel *intel = testing_kernel_of(&arena, add);
    struct kernel att = *intel;
    att.syntax = "att";
    assert_false(gen_pair(&arena, intel, &att, &pair, &failure));
    assert_int_equal(failure.status, FAIL_INPUT);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_take_turns_on_registers_of_their_own),
        cmocka_unit_test(what_either_needs_the_pair_has),
        cmocka_unit_test(too_many_streams_are_told),
        cmocka_unit_test(syntaxes_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
