// Limits of a part of what a CPU does in a cycle: vector instructions, accesses that cross two lines, microcode, code
// too dense for the cache of decoded instructions. Those of a Zen 5, in round numbers.
#include "analyzer/predict/testing_cpu_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char text[] = "cpu: 1\n"
                           "name: small\n"
                           "base: znver4\n"
                           "parameters:\n"
                           "  dispatch-width: 8\n"
                           "  dispatch-width-vector: 6\n"
                           "  moves-eliminated: 1\n"
                           "  vector-moves-eliminated: 1\n"
                           "  op-cache-line-bytes: 64\n"
                           "  op-cache-line-slots: 6\n"
                           "  op-cache-lines-per-cycle: 2\n"
                           "  op-cache-loop-round: 2\n"
                           "  op-cache-window-lines: 7\n"
                           "  loads-per-cycle: 4\n"
                           "  loads-per-cycle-vector: 2\n"
                           "  stores-per-cycle: 2\n"
                           "  forward-latency: 7\n"
                           "  renamed-latency: 0\n"
                           "  renamed-most-slots: 2\n"
                           "  atomic: 20\n"
                           "forms:\n"
                           "  - {match: \"(XADD|BTS)64(rm|mi8)\", slots: 4, latency: 1}\n"
                           "  - {match: ADD64mr, slots: 2, latency: 1}\n"
                           "  - {match: LXADD64, serial: 9}\n"
                           "  - {match: LEA64r, address: three-part, latency: 2, latency-from: {\"2\": 1}}\n"
                           "  - {match: LEA64r, address: relative, pipes: [Zn4ALU12]}\n";

static int open_file(void **state) {
    return testing_cpu_file_open(state, text);
}

static void limits(void **state) {
    static const struct {
        const char *hex, *what;
        enum bound_kind kind;
        double cycles;
    } cases[] = {
        {"4889d8", "mov rax, rbx", BOUND_DISPATCH, 1. / 8},
        {"0f28c1", "movaps xmm0, xmm1", BOUND_DISPATCH, 1. / 6},
        {"0f28c14889d84889d84889d8", "the same, and three mov rax, rbx: the wider limit", BOUND_DISPATCH, 4. / 8},
        {"0f28c10f28d10f28d94889d8", "three of it, and one mov: the narrower limit", BOUND_DISPATCH, 3. / 6},
        {"488b0f", "mov rcx, [rdi]", BOUND_LOADS, 1. / 4},
        {"488b4f3c", "mov rcx, [rdi+60]: two lines", BOUND_LOADS, 2. / 4},
        {"0f1007", "movups xmm0, [rdi]", BOUND_LOADS, 1. / 2},
        {"0f104738", "movups xmm0, [rdi+56]: two lines", BOUND_LOADS, 2. / 2},
        {"0f100538000000", "movups xmm0, [rip+56]: copies of it are in 1 line, or in 2", BOUND_LOADS,
         (1 + 15. / 64) / 2},
        {"c4e265900c17", "vpgatherdd ymm1, [rdi+ymm2], ymm3: lanes have the other limit", BOUND_LOADS, 8. / 4},
        {"48890f", "mov [rdi], rcx", BOUND_STORES, 1. / 2},
        {"48894f3c", "mov [rdi+60], rcx: two lines", BOUND_STORES, 2. / 2},
        {"480107", "add [rdi], rax: renamed", BOUND_LATENCY, 1},
        {"480fc10f", "xadd [rdi], rcx: microcode waits for the cache", BOUND_LATENCY, 8},
        {"480fba2f03", "bts qword [rdi], 3", BOUND_LATENCY, 8},
        {"f0480fc10f", "lock xadd [rdi], rcx: no rule makes it faster than an access that excludes others",
         BOUND_LATENCY, 20},
        {"488d0540000000", "lea rax, [rip+64]", BOUND_PORTS, 1. / 2},
        {"488d7cf8d0", "lea rdi, [rax+rdi*8-48]: from its index", BOUND_LATENCY, 1},
        {"488d44f8d0", "lea rax, [rax+rdi*8-48]: from its base", BOUND_LATENCY, 2},
        {"90", "nop: 64 in a window, 11 lines, decoded anew", BOUND_CACHE, 1. / 8},
        {"31c0", "xor eax, eax: 32 in a window, 6 lines", BOUND_CACHE, 5. / 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bounds bounds =
            testing_bounds(*state, cases[i].hex, (struct bounds_request){.registers = BOUNDS_APART});
        print_message("%s: %s %.4f\n", cases[i].what, bound_name(cases[i].kind), bounds.cycles[cases[i].kind]);
        assert_true(fabs(bounds.cycles[cases[i].kind] - cases[i].cycles) < 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, open_file, testing_cpu_file_close);
}
