#include "analyzer/code/execution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct insn insns[] = {
    {.line = 1},
    {.line = 2, .is_branch = true, .is_conditional = true},
    {.line = 3, .is_call = true},
    {.line = 4, .is_branch = true, .is_conditional = true},
};
static const struct block_label label = {"loop", 1};
static const struct block block = {.name = "b", .insns = insns, .n_insns = 4, .labels = &label, .n_labels = 1};

static void a_block_is_its_straight_execution(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct execution *execution = EXECUTION_OF(&block);
    assert_int_equal(execution_length(execution), 4);
    assert_int_equal(execution_passes(execution), 1);
    for (unsigned i = 0; i < 4; i++) {
        struct execution_step step = execution_step_at(execution, i);
        assert_ptr_equal(execution_insn(execution, i), &insns[i]);
        assert_int_equal(step.insn, i);
        assert_int_equal(step.is_taken, i == 3); // back to the start
        assert_false(step.is_mispredicted || step.has_accesses);
    }
    struct block laid_out = execution_lay_out(&arena, execution);
    assert_ptr_equal(laid_out.insns, insns); // nothing is copied
    assert_int_equal(laid_out.n_labels, 1);
    arena_free(&arena);
}

static void an_execution_has_its_own_order(void **state) {
    (void)state;
    struct arena arena = {0};
    static const struct execution_step steps[] = {{.insn = 1, .is_taken = true}, {.insn = 0}, {.insn = 1}};
    const struct execution execution = {.block = &block, .steps = steps, .n_steps = 3, .n_passes = 2};
    assert_int_equal(execution_length(&execution), 3);
    assert_int_equal(execution_passes(&execution), 2);
    assert_ptr_equal(execution_insn(&execution, 1), &insns[0]);
    assert_true(execution_step_at(&execution, 0).is_taken && !execution_step_at(&execution, 2).is_taken);
    struct block laid_out = execution_lay_out(&arena, &execution);
    assert_int_equal(laid_out.n_insns, 3);
    assert_int_equal(laid_out.n_labels, 0);
    assert_string_equal(laid_out.name, "b");
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(laid_out.insns[i].line, insns[steps[i].insn].line);
    assert_true(laid_out.insns[0].is_taken && !laid_out.insns[2].is_taken);
    arena_free(&arena);
}

static void only_branches_are_taken(void **state) {
    (void)state;
    assert_false(execution_is_way_taken(&insns[0], false));
    assert_true(execution_is_way_taken(&insns[1], false));
    assert_false(execution_is_way_taken(&insns[1], true));
    assert_true(execution_is_way_taken(&insns[2], true)); // stepped over
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_its_straight_execution),
        cmocka_unit_test(an_execution_has_its_own_order),
        cmocka_unit_test(only_branches_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
