// One way to predict, whatever the model has: bounds of a CPU file, or LLVM's core.
#include "analyzer/predict/model_prediction.h"

#include "analyzer/cpu/pipes.h"
#include "base/bytes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct model own, llvm;
};

static bool open_model(struct fixture *fixture, struct model *model, const char *cpu) {
    const struct backend_options options = {.triple = "x86_64-linux-gnu", .cpu = cpu};
    struct fail fail = {0};
    bool is_open = model_open(model, &fixture->arena, NULL, &options, &fail);
    if (!is_open)
        fail_print(&fail, stderr);
    return is_open;
}

static int open_both(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    return fixture && open_model(fixture, &fixture->own, "cpu:skylake") &&
                   open_model(fixture, &fixture->llvm, "skylake")
               ? 0
               : -1;
}

static int close_both(void **state) {
    struct fixture *fixture = *state;
    model_close(&fixture->own);
    model_close(&fixture->llvm);
    arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

static struct block describe(struct fixture *fixture, const struct model *model, const char *hex) {
    uint8_t bytes[64];
    struct block block;
    struct fail fail = {0};
    assert_true(bytes_from_digits(hex, strlen(hex), bytes));
    assert_true(model_describe_bytes(model, &fixture->arena, bytes, strlen(hex) / 2, &block, &fail));
    return block;
}

static struct prediction predict(struct fixture *fixture, const struct model *model, const char *hex, bool is_loop) {
    struct block block = describe(fixture, model, hex);
    const struct prediction_request request = {.execution = EXECUTION_OF(&block), .way.is_loop = is_loop};
    struct prediction prediction;
    struct fail fail = {0};
    double cycles;
    assert_true(prediction_by_model(&fixture->arena, model, &request, &prediction, &fail));
    assert_true(prediction_cycles_by_model(model, &request, &cycles, &fail));
    assert_float_equal(cycles, prediction.cycles, 1e-9);
    return prediction;
}

static void bounds_of_a_cpu_file(void **state) {
    static const struct {
        const char *hex;
        enum bottleneck kind;
        const char *name;
        double cycles;
        unsigned holds_cycles;
    } cases[] = {
        {"480fafc3", BOTTLENECK_DEPENDENCY, "dependency chain", 3, 0},            // imul rax, rbx
        {"31c031c931d231f631ff", BOTTLENECK_DISPATCH, "dispatch width", 1.25, 0}, // five zero idioms
        {"f3480fbcc3", BOTTLENECK_RESOURCE, "SKLPort1", 1, 1},                    // tzcnt rax, rbx
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture *fixture = *state;
        struct prediction prediction = predict(fixture, &fixture->own, cases[i].hex, false);
        print_message("%s: %s %.3f\n", cases[i].hex, prediction.bottleneck, prediction.cycles);
        assert_string_equal(prediction.model, "cpu:skylake");
        assert_int_equal(prediction.kind, cases[i].kind);
        assert_string_equal(prediction.bottleneck, cases[i].name);
        assert_int_equal(prediction.holds_cycles, cases[i].holds_cycles);
        assert_float_equal(prediction.cycles, cases[i].cycles, 1e-9);
        assert_true(prediction.are_slots);
    }
}

static void simulation_of_llvm(void **state) {
    struct fixture *fixture = *state;
    struct prediction prediction = predict(fixture, &fixture->llvm, "480fafc3", false);
    assert_string_equal(prediction.model, fixture->llvm.machine->id);
    assert_float_equal(prediction.cycles, 3, 1e-9);
    assert_false(prediction.are_slots);
    assert_non_null(prediction.pressure);
}

// A compare and its jump are one slot: a loop of three such pairs' slots and none of theirs apart.
static void loop_with_its_branch(void **state) {
    struct fixture *fixture = *state;
    // dec rcx; jne: with three zero idioms before, four slots
    struct prediction prediction = predict(fixture, &fixture->own, "31c031d231f648ffc975f5", true);
    assert_float_equal(prediction.uops, 4, 1e-9);
    assert_float_equal(prediction.cycles, 1, 1e-9);
}

// Of an execution of several passes, all is per pass.
static void execution_of_two_passes(void **state) {
    struct fixture *fixture = *state;
    struct block block = describe(fixture, &fixture->own, "480fafc3");
    const struct execution_step steps[2] = {{.insn = 0}, {.insn = 0}};
    const struct execution run = {.block = &block, .steps = steps, .n_steps = 2, .n_passes = 2};
    const struct prediction_request request = {.execution = &run};
    struct prediction prediction;
    struct fail fail = {0};
    assert_true(prediction_by_model(&fixture->arena, &fixture->own, &request, &prediction, &fail));
    assert_float_equal(prediction.cycles, 3, 1e-9);
    assert_float_equal(prediction.ipc, 1. / 3, 1e-9);
    assert_float_equal(prediction.uops, 1, 1e-9);
}

static void pipes_are_named(void **state) {
    const struct fixture *fixture = *state;
    const struct cpu *cpu = fixture->own.own;
    struct arena arena = {0};
    uint64_t both = cpu_pipes(cpu, machine_resource_called(cpu->machine, "SKLPort06")->mask);
    uint64_t five = cpu_pipes(cpu, machine_resource_called(cpu->machine, "SKLPort5")->mask);
    assert_string_equal(cpu_pipes_name(&arena, cpu, both), "SKLPort06");
    assert_string_equal(cpu_pipes_name(&arena, cpu, both | five), "SKLPort056");
    assert_string_equal(cpu_pipes_name(&arena, cpu, 0), "");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_a_cpu_file), cmocka_unit_test(simulation_of_llvm),
        cmocka_unit_test(loop_with_its_branch), cmocka_unit_test(execution_of_two_passes),
        cmocka_unit_test(pipes_are_named),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
