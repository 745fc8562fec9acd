// What a repair takes back of a form, and which opcodes it calls idioms.
#include "repair/repair.c"
#include "repair/repair_members.c"
#include "repair/repair_verify.c"

#include "check/testing_values.h"

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

static struct check_value chain_of_one_register(const char *form, const struct table_part *part, double cycles) {
    struct check_value value = testing_value(form, form, CHECK_LATENCY, cycles, 0.01);
    value.source = "same";
    value.detail = "same → 0";
    value.code = part->code;
    value.value.parts = part;
    value.value.n_parts = 1;
    value.value.bytes = part->code;
    value.value.kernel = form;
    return value;
}

// On LLVM's Skylake, a chain of adds takes a cycle each, one of vector multiplications four, and one of scalar ones
// three, whatever their registers.
static void chains_of_one_register_show_idioms(void **state) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct model model;
    const struct backend_options options = {.triple = "x86_64-linux-gnu", .cpu = "skylake", .output_syntax = -1};
    const struct table_part add = {"ADD32rr", "01c0", 1}, vector = {"VPMULUDQrr", "c5f9f4c0", 1},
                            multiply = {"IMUL32rr", "0fafc0", 1}, subtract = {"SUB64rr", "4829c0", 1},
                            odd = {"ADC32rr", "11c0", 1};
    struct check_value values[] = {
        chain_of_one_register("ADC32rr", &odd, 0.5),       // it waits for the carry: no idiom explains that
        chain_of_one_register("ADD32rr", &add, 0.17),      // takes no pipe
        chain_of_one_register("IMUL32rr", &multiply, 1),   // so may be a latency of one
        chain_of_one_register("SUB64rr", &subtract, 0.17), // LLVM says so, too
        chain_of_one_register("VPMULUDQrr", &vector, 0.5), // as long as one of two pipes is held
    };
    struct check_results results = {.values = values, .n_values = 5};
    const struct repair_request request = {.results = &results, .model = &model, .name = "x"};
    struct repair repair = {.arena = &arena, .request = &request, .values = values, .n_values = 5};
    struct repair_result result = {.overlay = ""};
    (void)state;
    assert_true(model_open(&model, &arena, NULL, &options, &fail));
    predict_base(&repair, &result);
    assert_true(repair.gaps[3] == 0);
    assert_true(repair_find_idioms(&repair, &fail));
    assert_int_equal(repair_count_idioms(&repair), 2);
    const char *text = repair_write(&repair, "about");
    assert_non_null(strstr(text, "- {match: \"VPMULUDQrr\", idiom: dependency-breaking}\n"));
    assert_non_null(strstr(text, "- {match: \"ADD32rr\", idiom: zero}\n"));
    assert_true(remove_opcode(&repair, "ADD32rr"));
    assert_false(remove_opcode(&repair, "ADD32rr"));
    assert_int_equal(repair_count_idioms(&repair), 1);
    model_close(&model);
    arena_free(&arena);
}

// LEA64r-rip has LEA64r's numbers, and LEA16r-rip, whose plain form has no value, its own.
static void other_operands_follow_the_plain_form(void **state) {
    struct arena arena = {0};
    double gaps[] = {0, 0.5, -1, 0};
    bool follow[4] = {false};
    struct repair_member group[] = {{.form = "LEA16r", .opcode = "LEA16r", .first = 2, .end = 3},
                                    {.form = "LEA16r-rip", .opcode = "LEA16r", .first = 3, .end = 4},
                                    {.form = "LEA64r", .opcode = "LEA64r", .first = 0, .end = 1},
                                    {.form = "LEA64r-rip", .opcode = "LEA64r", .first = 1, .end = 2}};
    struct repair repair = {.arena = &arena, .gaps = gaps, .follow = follow, .members = group, .n_members = 4};
    struct check_value values[] = {testing_value("LEA64r", "C", CHECK_THROUGHPUT, 0.17, 0.01),
                                   testing_value("LEA64r-rip", "C", CHECK_THROUGHPUT, 1, 0.01)};
    const struct predicted predicted = {.is_known = true, .cycles = 0.17};
    struct repair_count count = {0};
    double worst[] = {0, 0}, held_out[] = {-1, -1};
    const struct machine machine = {.n_resources = 1};
    const struct model model = {.machine = &machine};
    const struct repair_request request = {.model = &model};
    (void)state;
    mark_followers(&repair);
    assert_true(follow[group[3].first]);
    assert_false(follow[group[0].first] || follow[group[1].first] || follow[group[2].first]);
    repair.values = values;
    repair.worst_gaps = worst;
    repair.held_out = held_out;
    repair.request = &request;
    repair.are_other_code = (bool[]){false, false};
    gaps[1] = 0;
    assert_false(repair_is_taken(&repair, &group[3], 1));
    assert_true(repair_is_taken(&repair, &group[2], 0));
    assert_true(count_after(&repair, 1, &predicted, 0.83, &count)); // further off, and not taken back
    assert_int_equal(count.n_followed, 1);
    assert_int_equal(count.n_worse, 0);
    assert_false(count_after(&repair, 0, &predicted, 0.83, &count));
    assert_int_equal(count.n_worse, 1);
    arena_free(&arena);
}

// A form with other operands, whose plain form belongs to other members, is in no rule of these: that one was measured.
static void followers_are_not_named(void **state) {
    struct arena arena = {0};
    double gaps[] = {0, 0};
    bool follow[] = {true, false};
    const struct check_value values[] = {testing_value("ADD64mi8-rip", "C", CHECK_THROUGHPUT, 1, 0.01),
                                         testing_value("SUB64mi8", "C", CHECK_THROUGHPUT, 1, 0.01)};
    struct predicted base[2] = {{.is_known = true}, {.is_known = true}};
    const struct check_results results = {.repeat_options = ""};
    const struct repair_request request = {.results = &results};
    const struct repair_numbers four = {.uops = 4}, two = {.uops = 2};
    const struct repair_member members[] = {
        {.form = "ADD64mi8-rip", .opcode = "ADD64mi8", .class_name = "C", .end = 1, .numbers = four},
        {.form = "SUB64mi8", .opcode = "SUB64mi8", .class_name = "C", .first = 1, .end = 2, .numbers = four}};
    struct repair repair = {
        .arena = &arena, .request = &request, .values = values, .base = base, .gaps = gaps, .follow = follow};
    const struct repair_search measured = {.best = two}, followed = {.best = four};
    struct repair_numbers now = four;
    (void)state;
    repair_add_rule(&repair, &measured, &four, &(struct repair_member){.form = "ADD64mi8", .opcode = "ADD64mi8"}, 1,
                    false);
    repair_add_rule(&repair, &followed, &two, members, 2, true);
    assert_int_equal(repair.n_rules, 2);
    assert_int_equal(repair.rules[1].n_opcodes, 1);
    assert_string_equal(repair.rules[1].opcodes[0], "SUB64mi8");
    repair_apply_rules(&repair, "ADD64mi8", &now);
    assert_int_equal(now.uops, 2);
    repair_add_rule(&repair, &followed, &two, members, 1, false); // alone it is asked for
    repair_apply_rules(&repair, "ADD64mi8", &now);
    assert_int_equal(now.uops, 4);
    arena_free(&arena);
}

// What a form's own values prove stays, whatever it does to others that were measured beside it.
static void what_is_proved_is_not_taken_back(void **state) {
    struct arena arena = {0};
    double gaps[] = {0.3, 0};
    bool follow[] = {false, false}, is_mended[] = {true, false};
    const struct repair_numbers four = {.uops = 4}, two = {.uops = 2};
    struct repair_member members[] = {
        {.form = "IDIV16m", .opcode = "IDIV16m", .class_name = "D", .first = 1, .end = 2, .numbers = four},
        {.form = "MOV32ri", .opcode = "MOV32ri", .class_name = "M", .end = 1, .numbers = four}};
    const struct check_value values[] = {testing_value("MOV32ri", "M", CHECK_THROUGHPUT, 0.17, 0.01),
                                         testing_value("IDIV16m", "D", CHECK_LATENCY, 14, 0.01)};
    const struct repair_search search = {.best = two};
    struct predicted base[2] = {{.is_known = true}, {.is_known = true}};
    const struct check_results results = {.repeat_options = ""};
    const struct repair_request request = {.results = &results};
    struct repair repair = {.arena = &arena,
                            .request = &request,
                            .values = values,
                            .base = base,
                            .gaps = gaps,
                            .follow = follow,
                            .is_mended = is_mended,
                            .members = members,
                            .n_members = 2};
    (void)state;
    repair_add_rule(&repair, &search, &four, &members[0], 1, true);
    repair_add_rule(&repair, &search, &four, &members[1], 1, true);
    assert_false(remove_unproved(&repair, "MOV32ri"));
    assert_true(remove_unproved(&repair, "IDIV16m"));
    is_mended[0] = false;
    assert_true(remove_unproved(&repair, "MOV32ri"));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_are_taken_back_alone),       cmocka_unit_test(chains_of_one_register_show_idioms),
        cmocka_unit_test(other_operands_follow_the_plain_form), cmocka_unit_test(followers_are_not_named),
        cmocka_unit_test(what_is_proved_is_not_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
