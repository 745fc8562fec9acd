// What a repair takes back of a form.
#include "check/repair.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// A form whose latencies undercut its bounds loses them alone: its uops stay, and so do the others of its rule.
static void latencies_are_taken_back_alone(void **state) {
    struct arena arena = {0};
    const char *opcodes[] = {"A", "B"};
    const struct repair_numbers base = {.uops = 2, .n_writes = 1, .latencies = {8}},
                                after = {.uops = 1, .n_writes = 1, .latencies = {1}};
    struct repair_member members[] = {{.form = "A-high", .opcode = "A", .class_name = "C", .numbers = base},
                                      {.form = "B", .opcode = "B", .class_name = "C", .numbers = base}};
    struct repair_rule rule = {.opcodes = opcodes, .n_opcodes = 2, .before = base, .after = after};
    struct repair repair = {.arena = &arena, .members = members, .n_members = 2};
    struct repair_numbers a = base, b = base;
    (void)state;
    *ARENA_ADD(&arena, repair.rules, repair.n_rules) = rule;
    assert_false(settle(&repair, &(struct trade){.form = "A-high", .n_below = 1, .n_right = 1}));
    assert_true(settle(&repair, &(struct trade){.form = "A-high", .n_below = 2, .n_right = 1}));
    repair_apply_rules(&repair, "A", &a);
    repair_apply_rules(&repair, "B", &b);
    assert_int_equal(a.uops, 1);
    assert_int_equal(a.latencies[0], 8);
    assert_true(repair_numbers_are_equal(&b, &after));
    assert_false(settle(&repair, &(struct trade){.form = "A-high", .n_below = 2})); // they are LLVM's
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(latencies_are_taken_back_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
