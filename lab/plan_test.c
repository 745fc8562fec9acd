// Plans: what stands together, what is refused, and which of a block's two ways of addresses is worth a row.
#include "lab/experiment.h"

#include "report/aliases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t add_bytes[] = {0x48, 0x01, 0xd8};

static struct block_source source_of(const char *name) {
    return (struct block_source){
        .isa = isa_find("x86_64"), .name = name, .bytes = add_bytes, .n_bytes = sizeof add_bytes};
}

static void add_block(struct arena *arena, struct plan *plan, const char *name, bool is_both) {
    struct fail fail = {0};
    const struct block_source source = source_of(name);
    const struct plan_options options = {.block = {.is_both = is_both}};
    if (!plan_add_block(arena, plan, &source, name, &options, &fail))
        fail_msg("%s", fail.text);
}

// Two blocks, one of them measured both ways, between what is of kernels.
static void make_plan(struct arena *arena, struct plan *plan) {
    *plan = (struct plan){0};
    plan_add(arena, plan);
    add_block(arena, plan, "one", true);
    add_block(arena, plan, "two", false);
    plan_add(arena, plan);
    plan_add(arena, plan);
    assert_int_equal(plan->n_experiments, 1 + 4 + 2 + 2);
}

static void a_block_has_a_row_for_each_form_and_way(void **state) {
    (void)state;
    struct arena arena = {0};
    struct plan plan;
    make_plan(&arena, &plan);
    static const struct {
        enum program_form form;
        enum block_alias alias;
    } rows[] = {{PROGRAM_UNROLLED, ALIAS_DISJOINT},
                {PROGRAM_LOOPED, ALIAS_DISJOINT},
                {PROGRAM_UNROLLED, ALIAS_SAME},
                {PROGRAM_LOOPED, ALIAS_SAME}};
    for (size_t i = 0; i < 4; i++) {
        const struct experiment *e = plan.experiments[1 + i];
        assert_int_equal(e->program.form, rows[i].form);
        assert_int_equal(e->alias, rows[i].alias);
        assert_ptr_equal(e->block, plan.experiments[1]->block);
    }
    assert_int_equal(plan.experiments[1]->block->number, 1);
    assert_int_equal(plan.experiments[5]->block->number, 2);
    arena_free(&arena);
}

// What tells the experiment's initial values from others.
static const char *setup_of(struct arena *arena, struct experiment experiment) {
    struct record record;
    experiment_to_record(arena, &experiment, &record);
    return record.setup;
}

static void what_a_block_finds_is_of_its_setup(void **state) {
    (void)state;
    struct arena arena = {0};
    struct lab_block block = {0};
    const struct experiment plain = {
        .program = {.kernel = "k", .isa = "x86_64", .label = "", .setup = "mov eax, 1\n", .code = add_bytes},
        .block = &block,
        .foreign = {.fill = 7, .frames = 4, .most_pages = 64}};
    const char *setup = setup_of(&arena, plain);
    struct experiment same = plain, others[] = {plain, plain, plain, plain, plain};
    same.foreign.lowest_address = 0x10000;
    assert_string_equal(setup_of(&arena, same), setup);
    others[0].foreign.fill = 8;
    others[1].foreign.frames = 1;
    others[2].foreign.most_pages = 65;
    const uint8_t byte = 1;
    const struct segment segment = {.bytes = &byte, .n_bytes = 1};
    const struct link link = {.n_segments = 1};
    others[3].program.link = &link;
    others[3].program.segments = &segment;
    others[4].program.setup = "mov eax, 2\n";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_string_not_equal(setup_of(&arena, others[i]), setup);
    // A kernel's setup is that of its registers alone: files of before stay good.
    struct experiment kernel = plain;
    kernel.block = NULL;
    kernel.program.setup = "a";
    assert_string_equal(setup_of(&arena, kernel), "af63dc4c8601ec8c"); // FNV-1a of "a": RFC 9923
    arena_free(&arena);
}

static void what_is_of_one_block_stands_together(void **state) {
    (void)state;
    struct arena arena = {0};
    struct plan plan;
    make_plan(&arena, &plan);
    static const struct plan_range wanted[] = {{0, 1}, {1, 5}, {1, 5}, {1, 5}, {1, 5}, {5, 7}, {5, 7}, {7, 9}, {7, 9}};
    for (size_t i = 0; i < plan.n_experiments; i++) {
        struct plan_range range = plan_around(&plan, i);
        assert_int_equal(range.first, wanted[i].first);
        assert_int_equal(range.end, wanted[i].end);
    }
    arena_free(&arena);
}

static void blocks_take_no_options_of_kernels(void **state) {
    (void)state;
    struct arena arena = {0};
    static const struct plan_options options[] = {
        {.has_mode = true, .mode = PROGRAM_LATENCY}, {.sweep_first = 1, .sweep_last = 2}, {.streams = 3}};
    const struct block_source source = source_of("one");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct plan plan = {0};
        struct fail fail = {0};
        assert_false(plan_add_block(&arena, &plan, &source, "one", &options[i], &fail));
        assert_non_null(strstr(fail.text, "'one' is a block"));
        assert_int_equal(plan.n_experiments, 0);
    }
    arena_free(&arena);
}

static void a_plan_of_mistakes_fails_with_the_last(void **state) {
    (void)state;
    struct arena arena = {0};
    struct plan plan = {0};
    struct fail fail = {0}, first = {0}, second = {0};
    assert_true(plan_is_left(&plan, &fail)); // nothing was asked for, and nothing was wrong
    fail_set(&first, FAIL_INPUT, "first");
    fail_set(&second, FAIL_WORK, "second");
    plan_refuse(&arena, &plan, &first);
    plan_refuse(&arena, &plan, &second);
    assert_false(plan_is_left(&plan, &fail));
    assert_string_equal(fail.text, "second");
    assert_int_equal(fail.status, FAIL_WORK);
    assert_string_equal(plan.refused[0].text, "first");
    fail = (struct fail){0};
    plan_add(&arena, &plan);
    assert_true(plan_is_left(&plan, &fail));
    assert_int_equal(fail.status, FAIL_NONE);
    arena_free(&arena);
}

static void set_value(struct experiment *e, double cycles, enum bench_verdict verdict) {
    e->is_done = true;
    e->measurement = (struct bench_measurement){
        .cycles = cycles, .low = cycles * 0.999, .high = cycles * 1.001, .confidence = 0.99, .verdict = verdict};
}

static const char *printed(struct arena *arena, const struct plan *plan) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    aliases_print(arena, plan, out);
    fclose(out);
    const char *copy = arena_strdup(arena, text);
    free(text);
    return copy;
}

// Rows 1 and 2 are the block's with its addresses apart, 3 and 4 with one address.
static void the_second_way_is_shown_where_it_differs(void **state) {
    (void)state;
    static const struct {
        double apart, alike;
        enum bench_verdict verdict; // of the second one
        bool agree;
    } cases[] = {{2, 2, MEASURED_EXACT, true},
                 {2, 7.2, MEASURED_EXACT, false},
                 {7.2, 2, MEASURED_WITHIN, false},
                 {2, 7.2, MEASURED_UNSTABLE, false}}; // nobody knows
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct plan plan;
        make_plan(&arena, &plan);
        for (size_t row = 1; row < 5; row++)
            set_value(plan.experiments[row], row < 3 ? cases[i].apart : cases[i].alike,
                      row < 3 ? MEASURED_EXACT : cases[i].verdict);
        set_value(plan.experiments[3], cases[i].apart, MEASURED_EXACT); // unrolled, it is the same
        assert_false(aliases_agree(&plan, 1));
        assert_false(aliases_agree(&plan, 2));
        assert_true(aliases_agree(&plan, 3));
        assert_int_equal(aliases_agree(&plan, 4), cases[i].agree);
        const char *text = printed(&arena, &plan);
        bool differ = !cases[i].agree && cases[i].verdict != MEASURED_UNSTABLE;
        assert_int_equal(*text != '\0', differ);
        assert_null(strstr(text, "unrolled"));
        if (differ) {
            assert_non_null(strstr(text, "looped"));
            assert_int_equal(strstr(text, "just stored") != NULL, cases[i].alike > cases[i].apart);
        }
        arena_free(&arena);
    }
}

static void without_the_first_way_there_is_nothing_to_agree_with(void **state) {
    (void)state;
    struct arena arena = {0};
    struct plan plan;
    make_plan(&arena, &plan);
    set_value(plan.experiments[3], 2, MEASURED_EXACT);
    assert_false(aliases_agree(&plan, 3)); // the other one crashed
    assert_false(aliases_agree(&plan, 0)); // a kernel's
    assert_string_equal(printed(&arena, &plan), "");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_has_a_row_for_each_form_and_way),
        cmocka_unit_test(what_a_block_finds_is_of_its_setup),
        cmocka_unit_test(what_is_of_one_block_stands_together),
        cmocka_unit_test(blocks_take_no_options_of_kernels),
        cmocka_unit_test(a_plan_of_mistakes_fails_with_the_last),
        cmocka_unit_test(the_second_way_is_shown_where_it_differs),
        cmocka_unit_test(without_the_first_way_there_is_nothing_to_agree_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
