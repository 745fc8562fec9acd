// Which changes a search tries.
#include "repair/repair_search.c"

#include "check/testing_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool has_tried(const struct repair_search *search, unsigned uops, unsigned latency, unsigned release) {
    for (size_t i = 0; i < search->n_tried; i++) {
        const struct repair_numbers *one = &search->tried[i];
        if (one->uops == uops && one->latencies[0] == latency && one->uses[0].release == release)
            return true;
    }
    return false;
}

// What makes a value worse may be one part of the numbers: the others, which were measured, need not go with it.
static void parts_are_taken_back_one_by_one(void **state) {
    struct resource resources[] = {{.name = "none"}, {.name = "P", .mask = 2, .units = 1}};
    const struct machine machine = {.triple = "x86_64-linux-gnu", .cpu = "x", .resources = resources, .n_resources = 2};
    const struct model model = {.machine = &machine};
    struct repair_numbers tried[REPAIR_MOST_TRIED];
    struct repair_search search = {
        .model = &model,
        .tried = tried,
        .base = {.uops = 4, .n_writes = 1, .latencies = {6}, .n_uses = 1, .uses = {{1, 0, 2, 1}}},
        .best = {.uops = 2, .n_writes = 1, .latencies = {5}, .n_uses = 1, .uses = {{1, 0, 1, 1}}}};
    (void)state;
    take_parts_back(&search);
    assert_int_equal(search.n_tried, 7);
    assert_true(has_tried(&search, 2, 5, 2)); // the uses alone: the uops stay
    assert_true(has_tried(&search, 2, 6, 1));
    assert_true(has_tried(&search, 4, 5, 1));
    assert_true(has_tried(&search, 4, 6, 2)); // LLVM's numbers
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_taken_back_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
