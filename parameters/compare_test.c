// A card beside a model whose numbers are known: what agrees, what contradicts, and what is left.
#include "parameters/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct resource resources[] = {{.name = ""}, {.name = "ALU", .mask = 1, .units = 2, .buffer_size = 24}};
static const struct register_file files[] = {{.name = "default"}, {.name = "PRF", .n_physical = 180}};
static const struct machine machine = {.dispatch_width = 6,
                                       .rob_size = 320,
                                       .retire_width = 8,
                                       .load_latency = 4,
                                       .high_latency = 13,
                                       .mispredict_penalty = 13,
                                       .loop_buffer = 108,
                                       .resources = resources,
                                       .n_resources = 2,
                                       .register_files = files,
                                       .n_register_files = 2};

static const struct card_rest *find_rest(const struct card_rest *rest, size_t n, const char *number) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(rest[i].number, number) == 0)
            return &rest[i];
    return NULL;
}

static void each_number_of_the_model_is_judged_or_left_with_a_reason(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct model model = {.machine = &machine};
    struct card card = {.arena = &arena};
    const struct card_entry dispatch = {.name = "dispatch", .unit = "per cycle"},
                            penalty = {.name = "mispredict-penalty", .unit = "cycles"},
                            loop = {.name = "loop-buffer", .unit = "instructions"},
                            load = {.name = "l1d-latency", .unit = "cycles"};
    card_add_number(&card, &dispatch, 6, 6, 6, 0);
    card_add_number(&card, &penalty, 14.5, 14.4, 14.6, 0);
    card_add_unknown(&card, &loop, "no step");
    card_add_number(&card, &load, 4, 4, 4, 0);
    const struct card_comparison *all = card_compare(&arena, &card, &model, isa_find("x86_64"));
    assert_int_equal(all[0].agreement, CARD_AGREES);
    assert_int_equal(all[1].agreement, CARD_CONTRADICTS);
    assert_int_equal(all[2].agreement, CARD_NO_NUMBER);
    assert_true(all[2].is_known && all[2].model == 108);
    assert_int_equal(all[3].agreement, CARD_AGREES);
    size_t n = 0;
    const struct card_rest *rest = card_compare_rest(&arena, &card, &model, all, &n);
    static const char *const judged[] = {"IssueWidth", "MispredictPenalty", "LoadLatency"};
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++)
        assert_null(find_rest(rest, n, judged[i]));
    static const char *const left[] = {"MicroOpBufferSize",     "MaxRetirePerCycle", "HighLatency",
                                       "LoopMicroOpBufferSize", "registers of PRF",  "buffer of ALU"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        assert_non_null(find_rest(rest, n, left[i]));
    assert_int_equal(n, sizeof left / sizeof *left);
    assert_string_equal(find_rest(rest, n, "LoopMicroOpBufferSize")->why, "the card has no value of loop-buffer");
    assert_string_equal(find_rest(rest, n, "MicroOpBufferSize")->why, "the card has no reorder-buffer");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_number_of_the_model_is_judged_or_left_with_a_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
