// Layouts, on a machine made by hand. That they equal llvm-mca's is checked against it: scripts/equal-to-llvm-mca.
#include "analyzer/views/views.h"

#include "analyzer/sim/mca/toy_test.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(char *printed, const char *expected) {
    assert_string_equal(printed, expected);
    free(printed);
}

static void make(struct toy *toy) {
    toy_init(toy, 2, 64);
    unsigned p0 = toy_pipe(toy, "P0", 1, -1), p1 = toy_pipe(toy, "P1", 2, -1);
    unsigned p01 = toy_group(toy, "P01", -1, p0, p1, 0);
    struct insn *load = toy_insn(toy, 4);
    load->text = "ld\tr1";
    toy_cost(toy)->uops = 12;
    toy_cost(toy)->info_latency = 104;
    toy_cost(toy)->rthroughput = 9.999;
    load->may_load = true;
    toy_use(toy, p1, 3);
    struct insn *odd = toy_insn(toy, 1);
    odd->text = "odd\tr2, r3";
    toy_cost(toy)->info_latency = 1;
    toy_cost(toy)->rthroughput = 123.4;
    odd->may_store = odd->side_effects = true;
    toy_use(toy, p01, 1);
}

static void summary(void **state) {
    (void)state;
    struct toy toy;
    struct fail fail = {0};
    struct arena arena = {0};
    struct summary_view view;
    char *printed;
    size_t length;
    make(&toy);
    summary_view_init(&view, &toy.block, 2, &arena);
    struct event_listener *listeners[] = {&view.listener, NULL};
    uint64_t cycles = toy_run(&toy, 3, listeners, &fail);
    assert_int_equal(cycles, 24);
    FILE *out = open_memstream(&printed, &length);
    summary_view_print(&view, 6.25, out);
    fclose(out);
    // 39 / 24 = 1.625 and 6.25 are rounded up, as llvm-mca does; printf alone would round them to even.
    expect(printed, "Iterations:        3\nInstructions:      6\nTotal Cycles:      24\nTotal uOps:        39\n\n"
                    "Dispatch Width:    2\nuOps Per Cycle:    1.63\nIPC:               0.25\n"
                    "Block RThroughput: 6.3\n");
    arena_free(&arena);
}

static void instruction_info_of_llvm_19(void **state) {
    (void)state;
    static const struct mca_rules old = {.aligns_info = false};
    struct toy toy;
    char *printed;
    size_t length;
    make(&toy);
    const struct instruction_info info = {.rules = &old};
    FILE *out = open_memstream(&printed, &length);
    instruction_info_print(&info, &toy.block, out);
    fclose(out);
    expect(printed, "\n\nInstruction Info:\n[1]: #uOps\n[2]: Latency\n[3]: RThroughput\n[4]: MayLoad\n[5]: MayStore\n"
                    "[6]: HasSideEffects (U)\n\n"
                    "[1]    [2]    [3]    [4]    [5]    [6]    Instructions:\n"
                    " 12     104   10.00    *                   ld\tr1\n"
                    " 1      1     123.40         *      U     odd\tr2, r3\n");
}

// Wide numbers do not move what follows, and halves are rounded up.
static void instruction_info_of_llvm_22(void **state) {
    (void)state;
    static const struct mca_rules rules = {.aligns_info = true};
    struct toy toy;
    char *printed;
    size_t length;
    make(&toy);
    toy.costs[0].info_latency = 1386;
    toy.costs[1].rthroughput = 0.125;
    const struct instruction_info info = {.rules = &rules};
    FILE *out = open_memstream(&printed, &length);
    instruction_info_print(&info, &toy.block, out);
    fclose(out);
    expect(printed, "\n\nInstruction Info:\n[1]: #uOps\n[2]: Latency\n[3]: RThroughput\n[4]: MayLoad\n[5]: MayStore\n"
                    "[6]: HasSideEffects (U)\n\n"
                    "[1]    [2]    [3]    [4]    [5]    [6]    Instructions:\n"
                    " 12     1386  10.00   *                   ld\tr1\n"
                    " 1      1     0.13           *      U     odd\tr2, r3\n");
}

static void resource_pressure(void **state) {
    (void)state;
    struct toy toy;
    struct fail fail = {0};
    struct arena arena = {0};
    struct resource_pressure_view view;
    char *printed;
    size_t length;
    make(&toy);
    resource_pressure_view_init(&view, &toy.machine, &toy.block, &arena);
    struct event_listener *listeners[] = {&view.listener, NULL};
    assert_int_not_equal(toy_run(&toy, 4, listeners, &fail), 0);
    view.held[0] = 4000000; // wider than its column: the next one keeps a blank, and the columns after it their place
    FILE *out = open_memstream(&printed, &length);
    resource_pressure_view_print(&view, out);
    fclose(out);
    expect(printed, "\n\nResources:\n[0]   - P0\n[1.0] - P1\n[1.1] - P1\n"
                    "\n\nResource pressure per iteration:\n"
                    "[0]    [1.0]  [1.1]  \n"
                    " -     1.00   3.00   \n\n"
                    "Resource pressure by instruction:\n"
                    "[0]    [1.0]  [1.1]  Instructions:\n"
                    "1000000.00  -  3.00  ld\tr1\n"
                    " -     1.00    -     odd\tr2, r3\n");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary),
        cmocka_unit_test(instruction_info_of_llvm_19),
        cmocka_unit_test(instruction_info_of_llvm_22),
        cmocka_unit_test(resource_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
