// What the core of a CPU file makes of small blocks, counted by hand: where bounds are reached, where windows are full,
// and where two limits meet.
#include "analyzer/predict/core_plan.h"
#include "analyzer/predict/testing_cpu_file.h"
#include "base/bytes.h"
#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char file_text[] = "cpu: 1\n"
                                "name: counted\n"
                                "base: skylake\n"
                                "parameters:\n"
                                "  dispatch-width: 4\n"
                                "  retire-width: 4\n"
                                "  reorder-buffer: 40\n"
                                "  scheduler: 12\n"
                                "  load-queue: 20\n"
                                "  store-queue: 10\n"
                                "  micro-fusion: 1\n"
                                "  macro-fusion: 1\n"
                                "  moves-eliminated: 1\n"
                                "  stack-engine: 1\n"
                                "  stack-sync: 1\n"
                                "  stores-per-cycle: 1\n"
                                "  forward-latency: 4\n"
                                "  blocked-load: 10\n"
                                "  atomic: 18\n"
                                "  dispatch-width-vector: 1\n"
                                "forms:\n"
                                "  - {match: MOVAPSrr, slots: 4}\n";

static int open_counted(void **state) {
    return testing_cpu_file_open(state, file_text);
}

static double core_of(struct testing_cpu_file *file, const char *hex, unsigned relaxed) {
    uint8_t *bytes = arena_alloc(&file->arena, strlen(hex) / 2 + 1);
    struct block block;
    struct fail fail = {0};
    double cycles;
    assert_true(bytes_from_digits(hex, strlen(hex), bytes));
    assert_true(model_describe_bytes(&file->model, &file->arena, bytes, strlen(hex) / 2, &block, &fail));
    const struct bounds_request request = {.cpu = file->model.own, .block = &block};
    if (!core_cycles_find(&request, relaxed, &cycles, &fail))
        fail_msg("%s", fail.text);
    return cycles;
}

static void bounds_that_are_reached(void **state) {
    static const struct {
        const char *hex;
        double cycles;
    } cases[] = {
        {"90", 1. / 4},                  // nop: a slot
        {"4801d8", 1},                   // add rax, rbx: a chain
        {"4801d84801d9", 1},             // ... and another one beside it
        {"480fafc3", 3},                 // imul rax, rbx
        {"480fafc8480fafd8480faff8", 3}, // three multiplications by rax: one pipe
        {"488b00", 5},                   // mov rax, [rax]
        {"488b03488b4b08", 1},           // two loads on two pipes
        {"488903", 1},                   // mov [rbx], rax: one store a cycle
        {"488903488b0b", 1},             // ... and a load of it into another register
        {"488903488b03", 4},             // ... into its own: forwarding
        {"48830301", 5},                 // add qword [rbx], 1: forwarding and the operation
        {"4889d84801c8", 1. / 2},        // mov rax, rbx; add rax, rcx: the move is done at rename
        {"31c04801c8", 1. / 2},          // xor eax, eax; add rax, rcx: no chain
        {"50", 1},                       // push: one store a cycle, and no chain
        {"f0480fc107", 18},              // lock xadd
        {"0f28c1", 4},                   // movaps xmm0, xmm1: four slots of vectors, of which one goes in a cycle
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double cycles = core_of(*state, cases[i].hex, 0);
        print_message("%s: %.3f\n", cases[i].hex, cycles);
        assert_true(fabs(cycles - cases[i].cycles) < 0.01);
    }
}

// A load of 8 bytes behind a store of one waits until that has retired, which is behind the load before it.
static void blocked_loads(void **state) {
    // mov [rdi], al; mov rax, [rdi]: a chain of store, retirement, and load
    double chain = core_of(*state, "8807488b07", 0);
    assert_true(fabs(chain - 10) < 0.01); // as the bound has it
    // mov [rdi], al; mov rcx, [rdi]: no load is wanted, but the store behind it retires after it
    assert_true(fabs(core_of(*state, "8807488b0f", 0) - 10) < 0.01);
}

// A multiplication chain of 3 cycles, and n independent nops behind it: 1 + n slots. The scheduler of 12 slots holds 12
// multiplications that wait.
static void windows(void **state) {
    struct testing_cpu_file *file = *state;
    struct text hex = {.arena = &file->arena};
    text_addf(&hex, "480fafc3480fafc3480fafc3480fafc3"); // four in a chain: 12 cycles
    for (unsigned i = 0; i < 44; i++)
        text_addf(&hex, "90");
    // 48 slots are 12 cycles of dispatch. The buffer holds 40, so that the chain's end and its next beginning cannot
    // be in flight together with all nops between them.
    double limited = core_of(file, hex.data, 0), unlimited = core_of(file, hex.data, 1U << 1);
    print_message("windows: %.2f, and %.2f without\n", limited, unlimited);
    assert_true(fabs(unlimited - 12) < 0.1);
    assert_true(limited > 12.9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_that_are_reached),
        cmocka_unit_test(blocked_loads),
        cmocka_unit_test(windows),
    };
    return cmocka_run_group_tests(tests, open_counted, testing_cpu_file_close);
}
