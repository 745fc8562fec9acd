// What a CPU with an op cache, and with memory that is renamed, makes of small blocks: as measured on a Zen 5.
#include "analyzer/predict/testing_cpu_file.h"
#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char file_text[] = "cpu: 1\n"
                                "name: windows\n"
                                "base: skylake\n"
                                "parameters:\n"
                                "  op-cache-line-bytes: 64\n"
                                "  op-cache-line-slots: 6\n"
                                "  op-cache-lines-per-cycle: 2\n"
                                "  op-cache-line-immediates: 6\n"
                                "  op-cache-immediates-per-cycle: 8\n"
                                "  op-cache-loop-round: 2\n"
                                "  op-cache-straight-slots: 14\n"
                                "  dispatch-width: 8\n"
                                "  micro-fusion: 1\n"
                                "  macro-fusion: 1\n"
                                "  moves-eliminated: 1\n"
                                "  move-fusion: 1\n"
                                "  stack-engine: 1\n"
                                "  stack-adjustment: 1\n"
                                "  stack-adjustment-sync: 1\n"
                                "  dependent-operation: 1\n"
                                "  dependent-operation-second: 0.5\n"
                                "  dependent-operation-chain: 0.25\n"
                                "  dependent-operation-reach: 20\n"
                                "  loads-per-cycle: 4\n"
                                "  stores-per-cycle: 2\n"
                                "  forward-latency: 7\n"
                                "  renamed-latency: 0\n"
                                "  renamed-least-bytes: 4\n"
                                "  renames-alike: 1\n"
                                "  renamed-learned: 20\n"
                                "  renamed-learned-sets: 2\n"
                                "  forward-latency-update: 6\n"
                                "  forward-merge: 1\n"
                                "resources: {SKLPort06: 4}\n"
                                "forms:\n"
                                "  - {match: LEAVE64, latency: 0, latency-to: {RSP: 1}}\n"
                                "  - {match: ADDSDrr(_Int)?, latency: 3, own-latency: 2}\n";

static int open_windows(void **state) {
    return testing_cpu_file_open(state, file_text);
}

static struct bounds bounds_of(struct testing_cpu_file *file, const char *hex, bool is_loop) {
    return testing_bounds(file, hex,
                          (struct bounds_request){.is_loop = is_loop, .registers = BOUNDS_SAME, .pages_are_one = true});
}

static void loops_by_length(void **state) {
    static const struct {
        unsigned n; // moves of 3 bytes; behind them stand sub and jne, which fuse
        double cycles;
    } cases[] = {{7, 1}, {9, 10. / 8}, {11, 12. / 8}, {12, 3}, {19, 3}, {20, 4}, {29, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_cpu_file *fixture = *state;
        struct text hex = {.arena = &fixture->arena};
        for (unsigned n = 0; n < cases[i].n; n++)
            text_addf(&hex, "4889d8"); // mov rax, rbx
        text_addf(&hex, "4983ef0175%02x", (unsigned)(uint8_t) - (3 * (int)cases[i].n + 6));
        struct bounds bounds = bounds_of(fixture, hex.data, true);
        print_message("%u moves: %s %.3f\n", cases[i].n, bound_name(bounds.largest), bounds.most);
        assert_true(fabs(bounds.most - cases[i].cycles) < 1e-6);
    }
}

// cmp dword ptr [rbx+8], 5 has two fields, and so have sub and jne together.
static void loops_by_immediates(void **state) {
    static const struct {
        const char *hex;
        unsigned n;
        double cycles;
    } cases[] = {
        {"837b0805", 3, 1},       {"837b0805", 4, 10. / 8}, {"837b0805", 5, 12. / 8},
        {"837b0805", 6, 3},       {"833b05", 7, 9. / 8}, // cmp dword ptr [rbx], 5: fields and slots
        {"0f1f4008", 9, 10. / 8},                        // nop dword ptr [rax+8]: slots only
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_cpu_file *fixture = *state;
        struct text hex = {.arena = &fixture->arena};
        for (unsigned n = 0; n < cases[i].n; n++)
            text_addf(&hex, "%s", cases[i].hex);
        text_addf(&hex, "4983ef0175%02x", (unsigned)(uint8_t) - ((int)hex.length / 2 + 6));
        struct bounds bounds = bounds_of(fixture, hex.data, true);
        double cycles = fmax(bounds.cycles[BOUND_CACHE], bounds.cycles[BOUND_DISPATCH]);
        print_message("%u times %s: %.3f\n", cases[i].n, cases[i].hex, cycles);
        assert_true(fabs(cycles - cases[i].cycles) < 1e-6);
    }
}

// Nops, by how many stand in 64 bytes: few need no further round of lines, 18 to 24 do, and between the share grows.
static void straight_code_by_length(void **state) {
    static const struct {
        const char *hex;
        double cycles; // of a window
    } cases[] = {
        {"0f1f840000000000", 8. / 8},             // 8
        {"0f1f4000", 1.75 + 2. / 4 * (3 - 1.75)}, // 16
        {"0f1f00", 3},                            // 21 or 22
        {"6690", 5},                              // 32
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double bytes = (double)strlen(cases[i].hex) / 2;
        double cycles = bounds_of(*state, cases[i].hex, false).cycles[BOUND_CACHE] * 64 / bytes;
        print_message("%s: %.3f cycles in 64 bytes\n", cases[i].hex, cycles);
        assert_true(fabs(cycles - cases[i].cycles) < 1e-2);
    }
}

static void memory_that_is_renamed(void **state) {
    static const struct {
        const char *hex;
        bool is_loop;
        double cycles;
    } cases[] = {
        {"488903488b03", false, 0},       // mov [rbx], rax; mov rax, [rbx]
        {"488903488b01", false, 7},       // mov [rbx], rax; mov rax, [rcx], of one address: written otherwise
        {"488903488b01", true, 0},        // in a loop it is learned
        {"4889034889cb488b03", false, 7}, // mov [rbx], rax; mov rbx, rcx; mov rax, [rbx]: the register has changed
        {"50584889d8", false, 0},         // push rax; pop rax; mov rax, rbx
        {"4889030fb603", false, 7},       // mov [rbx], rax; movzx eax, byte [rbx]: what is loaded counts
        {"88030fb603", false, 7},         // mov [rbx], al; movzx eax, byte [rbx]: too narrow
        {"fe03", false, 1},               // inc byte [rbx]: not for what changes it
        {"88038a03", false, 2},           // mov [rbx], al; mov al, [rbx]: it merges, and a cycle later
        {"554889e54889ec5d", false, 7},   // push rbp; mov rbp, rsp; mov rsp, rbp; pop rbp: rsp has changed
        {"554889e54889ec5d", true, 7},    // that is not learned
        {"504889e5488b45004883c408", true,
         7}, // push rax; mov rbp, rsp; mov rax, [rbp]; add rsp, 8: nor of what push stored
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bounds bounds = bounds_of(*state, cases[i].hex, cases[i].is_loop);
        print_message("%s: latency %.3f\n", cases[i].hex, bounds.cycles[BOUND_LATENCY]);
        assert_true(fabs(bounds.cycles[BOUND_LATENCY] - cases[i].cycles) < 1e-6);
    }
}

// A CPU that follows the stack pointer through additions of up to 255 bytes; without that, and with more, 7 cycles.
static void memory_behind_adjustments(void **state) {
    static const struct {
        const char *hex;
        bool is_found;
    } cases[] = {
        {"534883ec104883c4105b", true},                 // push rbx; sub rsp, 16; add rsp, 16; pop rbx
        {"53488d6424f0488d6424105b", true},             // the same by lea
        {"534881ecf80000004881c4f80000005b", true},     // by 248
        {"534881ec000100004881c4000100005b", false},    // by 256
        {"48895c24f84883ec10488b5c24084883c410", true}, // mov [rsp-8], rbx; sub rsp, 16; mov rbx, [rsp+8]; add rsp, 16
        {"5348ffc448ffcc5b", false},                    // push rbx; inc rsp; dec rsp; pop rbx
        {"31c9534829cc4801cc5b", false},                // xor ecx, ecx; push rbx; sub rsp, rcx; add rsp, rcx; pop rbx
    };
    struct testing_cpu_file *file = *state;
    struct cpu_number *number = &file->model.own->parameters[CPU_RENAMED_ADJUSTMENT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned follows = 0; follows < 2; follows++) {
            *number = (struct cpu_number){.is_known = follows, .value = 255};
            const double latency = bounds_of(file, cases[i].hex, false).cycles[BOUND_LATENCY];
            *number = (struct cpu_number){.is_known = false};
            print_message("%s: latency %.3f\n", cases[i].hex, latency);
            assert_true(follows && cases[i].is_found ? latency < 7 : latency >= 7);
        }
}

// Copies of a load whose store has another name: of each set, 20 are learned.
static void memory_that_is_learned(void **state) {
    static const struct {
        const char *hex;
        unsigned copies;
        double cycles;
    } cases[] = {
        {"448b52f8448951f8", 20, 0},                 // mov r10d, [rdx-8]; mov [rcx-8], r10d: a set, as 8 / 2 is even
        {"448b52f8448951f8", 21, 7},                 //
        {"448b52f8448951f86690", 40, 0},             // 2 bytes more: two sets
        {"448b52f8448951f86690", 41, 7},             //
        {"448b52f8448b5afc448951f8448959fc", 10, 0}, // two such loads, in one set
        {"448b52f8448b5afc448951f8448959fc", 11, 7}, //
        {"448b52f8448952f8", 200, 0},                // written alike: nothing is to be learned
        {"488b532048ff4270", 21, 7},                 // mov rdx, [rbx+32]; inc qword [rdx+112]: 6, and its own 1
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bounds_request request = {
            .copies = cases[i].copies, .registers = BOUNDS_SAME, .pages_are_one = true};
        struct bounds bounds = testing_bounds(*state, cases[i].hex, request);
        print_message("%s, %u copies: latency %.3f\n", cases[i].hex, cases[i].copies, bounds.cycles[BOUND_LATENCY]);
        assert_true(fabs(bounds.cycles[BOUND_LATENCY] - cases[i].cycles) < 1e-6);
    }
}

// Memory of its own holds the start's address, until something is stored there.
static void memory_of_its_own(void **state) {
    static const struct {
        const char *hex;
        enum bounds_start registers;
        double cycles;
    } cases[] = {
        {"488b532048ff4270", BOUNDS_SAME, 7}, // mov rdx, [rbx+32]; inc qword [rdx+112]: rdx is the same each time
        {"488b532048ff4270", BOUNDS_APART, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bounds bounds =
            testing_bounds(*state, cases[i].hex, (struct bounds_request){.registers = cases[i].registers});
        print_message("%s: latency %.3f\n", cases[i].hex, bounds.cycles[BOUND_LATENCY]);
        assert_true(fabs(bounds.cycles[BOUND_LATENCY] - cases[i].cycles) < 1e-6);
    }
}

static void slots_and_pipes(void **state) {
    static const struct {
        const char *hex;
        enum bound_kind kind;
        double cycles;
    } cases[] = {
        {"89d883e001", BOUND_DISPATCH, 1. / 8},             // mov eax, ebx; and eax, 1: one slot
        {"89d883e101", BOUND_DISPATCH, 2. / 8},             // mov eax, ebx; and ecx, 1
        {"89d801c0", BOUND_DISPATCH, 2. / 8},               // mov eax, ebx; add eax, eax: it reads the copy twice
        {"4889dc4883ec084889dc4883ec08", BOUND_LATENCY, 2}, // mov rsp, rbx; sub rsp, 8; twice: one after the other
        {"4889d94883e9084889d94883e908", BOUND_LATENCY, 0}, // mov rcx, rbx; sub rcx, 8; twice
        {"4889dc4829cc4889dc4829cc", BOUND_LATENCY, 0},     // mov rsp, rbx; sub rsp, rcx; twice
        {"5b4883ec08", BOUND_LATENCY, 2},                   // pop rbx; sub rsp, 8
        {"5b488d4c240851", BOUND_LATENCY, 0},               // pop rbx; lea rcx, [rsp+8]; push rcx
        {"f20f58c1", BOUND_LATENCY, 2},                     // addsd xmm0, xmm1
        {"f20f58c1f20f59c1", BOUND_LATENCY, 3 + 4},         // addsd xmm0, xmm1; mulsd xmm0, xmm1
        {"31c0d1e3d1e189ca", BOUND_PORTS, 2. / 4},          // shifts of two registers, on four pipes
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bounds bounds = bounds_of(*state, cases[i].hex, false);
        print_message("%s: %s %.3f\n", cases[i].hex, bound_name(cases[i].kind), bounds.cycles[cases[i].kind]);
        assert_true(fabs(bounds.cycles[cases[i].kind] - cases[i].cycles) < 1e-6);
    }
}

// lea has two pipes here.
static void turns_that_are_lost(void **state) {
    static const struct {
        const char *hex;
        double turns;
    } cases[] = {
        {"488d4301488d4b01", 2},                              // lea rax, [rbx+1]; lea rcx, [rbx+1]
        {"488d4301488d4801", 2 + 0.95},                       // lea rax, [rbx+1]; lea rcx, [rax+1]
        {"488d43014889c1488d4901", 2 + 0.95},                 // the same, by mov rcx, rax
        {"488d4301488d5301488d7301488d4801", 4 + 0.85},       // with two others between
        {"488d4301488d4801488d5101", 3 + 0.95 + 0.95 / 2},    // a chain of three
        {"488d4301488d4801488d5101488d7201", 4 + 0.95 * 1.5}, // of four
        {"488d4001488d4b01488d5301", 3 + 0.25},               // lea rax, [rax+1]: a chain over all iterations
        {"488b07488d4801", 1},                                // mov rax, [rdi]; lea rcx, [rax+1]: loads come early
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bounds bounds = bounds_of(*state, cases[i].hex, false);
        print_message("%s: ports %.3f\n", cases[i].hex, bounds.cycles[BOUND_PORTS]);
        assert_true(fabs(bounds.cycles[BOUND_PORTS] - cases[i].turns / 2) < 1e-6);
    }
    // lea rax, [rbx+1]; lea rcx, [rax+1]; and 13 moves, which take longer: pipes are idle, and nothing waits for them
    struct bounds bounds = bounds_of(
        *state, "488d4301488d48014889d84889d84889d84889d84889d84889d84889d84889d84889d84889d84889d84889d84889d8",
        false);
    assert_true(fabs(bounds.cycles[BOUND_PORTS] - 1) < 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_by_length),        cmocka_unit_test(straight_code_by_length),
        cmocka_unit_test(loops_by_immediates),    cmocka_unit_test(memory_that_is_renamed),
        cmocka_unit_test(memory_that_is_learned), cmocka_unit_test(memory_behind_adjustments),
        cmocka_unit_test(memory_of_its_own),      cmocka_unit_test(slots_and_pipes),
        cmocka_unit_test(turns_that_are_lost),
    };
    return cmocka_run_group_tests(tests, open_windows, testing_cpu_file_close);
}
