#include "analyzer/predict/verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    int line;
    struct verdict_measured measured;
    struct prediction prediction;
    enum verdict_kind kind;
    const char *blame;
} rows[] = {
    {__LINE__, {4.0, 3.99, 4.01, 0.003, true, VERDICT_LATENCY}, {.cycles = 4}, VERDICT_AGREE, ""},
    {__LINE__, {4.03, 4.02, 4.04, 0.003, true, VERDICT_LATENCY}, {.cycles = 4}, VERDICT_AGREE, ""},
    {__LINE__,
     {5.98, 5.96, 6.0, 0.003, true, VERDICT_RTHROUGHPUT},
     {.cycles = 12, .kind = BOTTLENECK_RESOURCE, .bottleneck = "Zn4FPFMul01", .holds_cycles = 2},
     VERDICT_RTHROUGHPUT,
     "model: Zn4FPFMul01 held for 2 cycles"},
    {__LINE__,
     {2.0, 2.0, 2.0, 0.003, true, VERDICT_LATENCY},
     {.cycles = 3, .kind = BOTTLENECK_DEPENDENCY, .bottleneck = "dependency chain"},
     VERDICT_LATENCY,
     "model: latency 3"},
    {__LINE__,
     {2.0, 2.0, 2.0, 0.003, true, VERDICT_BLOCK},
     {.cycles = 3, .kind = BOTTLENECK_DEPENDENCY, .bottleneck = "dependency chain"},
     VERDICT_BLOCK,
     "model: a dependency chain of 3 cycles"},
    {__LINE__,
     {1.0, 1.0, 1.0, 0.003, true, VERDICT_BLOCK},
     {.cycles = 1.333, .kind = BOTTLENECK_DEPENDENCY, .bottleneck = "dependency chain"},
     VERDICT_BLOCK,
     "model: waits for results, 1.333 cycles a copy on average"},
    {__LINE__,
     {1.0, 1.0, 1.0, 0.003, true, VERDICT_BLOCK},
     {.cycles = 1.5, .kind = BOTTLENECK_DISPATCH, .uops = 9, .dispatch_width = 6, .bottleneck = "dispatch width"},
     VERDICT_BLOCK,
     "model: 9 uops at dispatch width 6"},
    {__LINE__,
     {4.6, 4.59, 4.61, 0.003, true, VERDICT_RTHROUGHPUT},
     {.cycles = 4.5, .kind = BOTTLENECK_RESOURCE, .bottleneck = "P05"},
     VERDICT_RTHROUGHPUT,
     "cost not modelled; the model's limit: P05"},
    {__LINE__,
     {16, 16, 16, 0.003, true, VERDICT_RTHROUGHPUT},
     {.cycles = 8, .kind = BOTTLENECK_RESOURCE, .bottleneck = "P05", .holds_cycles = 1},
     VERDICT_RTHROUGHPUT,
     "model: P05 held for only 1 cycle, or too many such pipes"},
    {__LINE__,
     {19, 19, 19, 0.003, true, VERDICT_BLOCK},
     {.cycles = 1, .kind = BOTTLENECK_RESOURCE, .bottleneck = "Store", .holds_cycles = 1},
     VERDICT_BLOCK,
     "cost not modelled; the model's limit: Store"},
    {__LINE__,
     {12, 12, 12, 0.003, true, VERDICT_LATENCY},
     {.cycles = 15, .kind = BOTTLENECK_RESOURCE, .bottleneck = "P0", .holds_cycles = 15},
     VERDICT_LATENCY,
     "model: latency 15"},
    {__LINE__, {4.6, 3, 6, 0.003, false, VERDICT_BLOCK}, {.cycles = 9}, VERDICT_UNSURE, ""},
    // A clock that is 3 % uncertain cannot find a difference of 2 %.
    {__LINE__, {4.08, 4.08, 4.08, 0.03, true, VERDICT_LATENCY}, {.cycles = 4}, VERDICT_AGREE, ""},
};

static void verdicts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = {0};
        struct verdict verdict;
        verdict_make(&arena, &rows[i].measured, &rows[i].prediction, &verdict);
        if (verdict.kind != rows[i].kind || strcmp(verdict.blame, rows[i].blame) != 0)
            fail_msg("row of line %d: kind %d, '%s'", rows[i].line, (int)verdict.kind, verdict.blame);
        arena_free(&arena);
    }
}

static void the_difference_is_relative_to_the_measurement(void **state) {
    (void)state;
    struct arena arena = {0};
    struct verdict_measured measured = {4, 4, 4, 0.003, true, VERDICT_BLOCK};
    struct prediction prediction = {.cycles = 3, .kind = BOTTLENECK_UNKNOWN, .bottleneck = ""};
    struct verdict verdict;
    verdict_make(&arena, &measured, &prediction, &verdict);
    assert_true(fabs(verdict.difference + 0.25) < 1e-12);
    assert_string_equal(verdict.blame, "cost not modelled");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(the_difference_is_relative_to_the_measurement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
