// Chains that end in their iteration, against the reorder buffer, the queue of loads and the scheduler: bounds that are
// found by hand, and what the core takes.
#include "analyzer/predict/testing_cpu_file.h"

#include "analyzer/predict/core_plan.h"
#include "base/bytes.h"
#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char file_text[] = "cpu: 1\n"
                                "name: small\n"
                                "base: znver4\n"
                                "parameters:\n"
                                "  dispatch-width: 8\n"
                                "  loads-per-cycle: 3\n"
                                "  load-latency: 4\n";

static int open_file(void **state) {
    return testing_cpu_file_open(state, file_text);
}

static double core_cycles(struct testing_cpu_file *file, const uint8_t *bytes, size_t n) {
    struct arena arena = {0};
    struct block block;
    struct fail fail = {0};
    double cycles;
    assert_true(model_describe_bytes(&file->model, &arena, bytes, n, &block, &fail));
    const struct bounds_request request = {.cpu = file->model.own, .block = &block};
    assert_true(core_cycles_find(&request, 0, &cycles, &fail));
    arena_free(&arena);
    return cycles;
}

// xor eax, eax; then a chain of so many equal instructions, which take a cycle each from rax to rax.
static const char *chain_of(struct arena *arena, unsigned n, const char *insn) {
    struct text hex = {.arena = arena};
    text_addf(&hex, "31c0");
    for (unsigned i = 0; i < n; i++)
        text_addf(&hex, "%s", insn);
    return hex.data;
}

static void chains(void **state) {
    static const char add[] = "4801d8", add_load[] = "480307"; // add rax, rbx; add rax, [rdi]
    enum { N = 400 };
    static const struct {
        enum cpu_parameter parameter; // that is known
        double size;
        const char *insn;
        double cycles; // 0: nothing of that kind limits it
    } cases[] = {
        // add i of one iteration has begun at i. The next iteration's first add is dispatched when its 100th slot
        // before
        // has retired: add 302, done at 303. It begins a cycle later.
        {CPU_REORDER_BUFFER, 100, add, N - 100 + 3},
        {CPU_REORDER_BUFFER, 10, add, N - 10 + 3},
        {CPU_REORDER_BUFFER, N + 2, add, (N + 1) / 2.}, // it holds an iteration, so two are under way
        {CPU_REORDER_BUFFER, 13 * N, add, 0},           // dispatch takes longer
        // The 30th load before belongs to add 371, done at 372; 1 cycle and 4 of the load.
        {CPU_LOAD_QUEUE, 30, add_load, N - 30 + 1 + 1 + 4},
        // 39 others may wait: add 361 has begun.
        {CPU_SCHEDULER, 40, add, N - 40 + 1},
    };
    struct testing_cpu_file *file = *state;
    struct cpu_number *parameters = file->model.own->parameters;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        const struct cpu_number buffer = parameters[CPU_REORDER_BUFFER], kept = parameters[cases[i].parameter];
        parameters[CPU_REORDER_BUFFER] = (struct cpu_number){.is_known = true, .value = 200};
        parameters[cases[i].parameter] = (struct cpu_number){.is_known = true, .value = cases[i].size};
        const char *hex = chain_of(&arena, N, cases[i].insn);
        const struct bounds bounds = testing_bounds(file, hex, (struct bounds_request){.registers = BOUNDS_APART});
        uint8_t bytes[4 * N];
        assert_true(bytes_from_digits(hex, strlen(hex), bytes));
        const double core = core_cycles(file, bytes, strlen(hex) / 2);
        parameters[cases[i].parameter] = kept;
        parameters[CPU_REORDER_BUFFER] = buffer;
        print_message("case %zu: %g, core %g\n", i, bounds.cycles[BOUND_BUFFER], core);
        assert_true(fabs(bounds.cycles[BOUND_BUFFER] - cases[i].cycles) < 1e-6);
        if (cases[i].cycles > 0) {
            assert_int_equal(bounds.largest, BOUND_BUFFER);
            assert_true(bounds.most <= core * 1.001 && core <= bounds.most + 3);
        }
        arena_free(&arena);
    }
}

// A file that does not state the buffer has no such bound.
static void unknown_buffer(void **state) {
    struct arena arena = {0};
    const struct bounds bounds =
        testing_bounds(*state, chain_of(&arena, 400, "4801d8"), (struct bounds_request){.registers = BOUNDS_APART});
    assert_true(bounds.cycles[BOUND_BUFFER] == 0 && bounds.longest >= 400);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains), cmocka_unit_test(unknown_buffer)};
    return cmocka_run_group_tests(tests, open_file, testing_cpu_file_close);
}
