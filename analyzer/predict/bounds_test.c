// Bounds of small blocks whose time on Skylake is known, by the CPU file of it.
#include "analyzer/predict/testing_cpu_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char parameters[] = "cpu: 1\n"
                                 "name: small\n"
                                 "base: skylake\n"
                                 "parameters:\n"
                                 "  fetch-bytes: 16\n"
                                 "  predecode-width: 5\n"
                                 "  length-change-stall: 3\n"
                                 "  decoders: 4\n"
                                 "  decoded-slots: 5\n"
                                 "  dispatch-width: 4\n"
                                 "  micro-fusion: 1\n"
                                 "  moves-eliminated: 1\n"
                                 "  stack-engine: 1\n"
                                 "  stack-sync: 1\n"
                                 "  load-latency-fast: 4\n"
                                 "  load-fast-displacement: 2048\n"
                                 "  forward-latency: 4\n"
                                 "  blocked-load: 16\n"
                                 "  atomic: 18\n"
                                 "  new-page: 9\n"
                                 "forms:\n"
                                 "  - {match: LEA64r, address: three-part, latency: 3}\n"
                                 "  - {match: SBB64rr, latency: 2, latency-from: {EFLAGS: 1}}\n"
                                 "  - {match: MUL64r, latency: 3, latency-to: {RDX: 4}, latency-from: {RAX: 2}}\n"
                                 "  - {match: BTS64mi8, latency-to: {memory: 9}}\n";

static int open_small(void **state) {
    return testing_cpu_file_open(state, parameters);
}

static struct bounds bounds_found(struct testing_cpu_file *file, const char *hex, bool is_decoded, bool pages_are_new) {
    return testing_bounds(
        file, hex,
        (struct bounds_request){.is_decoded = is_decoded, .registers = BOUNDS_APART, .pages_are_new = pages_are_new});
}

static struct bounds bounds_of(struct testing_cpu_file *file, const char *hex, bool is_decoded) {
    return bounds_found(file, hex, is_decoded, false);
}

static void largest_bounds(void **state) {
    static const struct {
        const char *hex;
        enum bound_kind kind;
        double cycles;
    } cases[] = {
        {"4801d8", BOUND_LATENCY, 1},            // add rax, rbx
        {"488b00", BOUND_LATENCY, 4},            // mov rax, [rax]: a pointer chain
        {"480300", BOUND_LATENCY, 6},            // add rax, [rax]
        {"48830001", BOUND_LATENCY, 5},          // add qword [rax], 1: the operation, and forwarding
        {"488907488b07", BOUND_LATENCY, 4},      // mov [rdi], rax; mov rax, [rdi]
        {"8907488b07", BOUND_LATENCY, 16},       // mov [rdi], eax; mov rax, [rdi]: too narrow
        {"50", BOUND_PORTS, 1},                  // push rax: one store a cycle
        {"5058", BOUND_LATENCY, 4},              // push rax; pop rax
        {"ff37", BOUND_PORTS, 1},                // push qword [rdi]: it stores elsewhere than it loads from
        {"8f07", BOUND_PORTS, 1},                // pop qword [rdi]
        {"4889d8", BOUND_DISPATCH, .25},         // mov rax, rbx: eliminated
        {"31c031c931d231f6", BOUND_DISPATCH, 1}, // four zero idioms
        {"488d441804", BOUND_LATENCY, 3},        // lea rax, [rax+rbx+4]
        {"488d0418", BOUND_LATENCY, 1},          // lea rax, [rax+rbx]
        {"4819d8", BOUND_LATENCY, 2},            // sbb rax, rbx: from rax
        {"4819d84829c1", BOUND_LATENCY, 2},      // sbb rax, rbx; sub rcx, rax: also from flags, 1 and 1
        {"8a0483", BOUND_LATENCY, 6},       // mov al, [rbx+rax*4]: it merges into rax, of which the address is made
        {"f0480fc107", BOUND_LATENCY, 18},  // lock xadd [rdi], rax
        {"f3480fb8c3", BOUND_PORTS, 1},     // popcnt rax, rbx
        {"48f7e3", BOUND_PORTS, 1},         // mul rbx: 2 from rax to the slowest result, so 1 to rax
        {"48f7e34801d3", BOUND_LATENCY, 5}, // mul rbx; add rbx, rdx: 4 to rdx
        {"f7f5", BOUND_LATENCY, 76},        // div ebp: from eax to eax
        {"480fba2f03", BOUND_LATENCY, 13},  // bts qword [rdi], 3: 9 until it is stored, and forwarding
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bounds bounds = bounds_of(*state, cases[i].hex, false);
        print_message("%s: %s %.3f\n", cases[i].hex, bound_name(bounds.largest), bounds.most);
        assert_true(fabs(bounds.most - cases[i].cycles) < 1e-6);
        assert_int_equal(bounds.largest, cases[i].kind);
    }
}

// Of code that decoders deliver.
static void front_end_bounds(void **state) {
    static const struct {
        const char *hex;
        enum bound_kind kind;
        double cycles;
    } cases[] = {
        {"0f1f8000000000", BOUND_PREDECODE, 7. / 16},  // nop of 7 bytes: 16 of them are 7 windows
        {"6681c33412", BOUND_PREDECODE, 3 + 5. / 16},  // add bx, 0x1234: each changes its length
        {"89d889d889d889d8", BOUND_PREDECODE, 4. / 4}, // mov eax, ebx: 8 in a window, of which 5 are found in a cycle
        {"480107480107", BOUND_DECODE, 2},             // add [rdi], rax, twice: only the first decoder takes it
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bounds bounds = bounds_of(*state, cases[i].hex, true);
        print_message("%s: %s %.4f\n", cases[i].hex, bound_name(cases[i].kind), bounds.cycles[cases[i].kind]);
        assert_true(fabs(bounds.cycles[cases[i].kind] - cases[i].cycles) < 1e-6);
    }
}

// Addresses that move on to pages of which nothing is at hand.
static void new_pages(void **state) {
    static const struct {
        const char *hex;
        enum bound_kind kind;
        double cycles;
    } cases[] = {
        {"480300480500100000", BOUND_LATENCY, 7},   // add rax, [rax]; add rax, 4096: of a value that is not known
        {"56564881ecf00f0000", BOUND_STORES, 4},    // push rsi, twice; sub rsp, 4080: both stores once more
        {"56564881ecf8000000", BOUND_STORES, 2.58}, // the same with 248 bytes: 264 of a page's 4096, 9 cycles each page
        {"5e5e4881c4f00f0000", BOUND_LOADS, 2},     // pop rsi, twice; add rsp, 4080
        {"5656", BOUND_STORES, 2.035},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bounds bounds = bounds_found(*state, cases[i].hex, false, true);
        print_message("%s: %s %.4f\n", cases[i].hex, bound_name(bounds.largest), bounds.most);
        assert_int_equal(bounds.largest, cases[i].kind);
        assert_true(fabs(bounds.most - cases[i].cycles) < .01);
    }
}

// Accesses are what instructions are, however long the base says that they hold pipes.
static void accesses_are_counted(void **state) {
    (void)state;
    static const struct {
        const char *hex;
        double loads, stores; // cycles: at two accesses of a kind a cycle
    } cases[] = {
        {"48890f", 0, .5},                    // mov [rdi], rcx
        {"488b0f", .5, 0},                    // mov rcx, [rdi]
        {"48832703", .5, .5},                 // and qword [rdi], 3
        {"4883270348830e03413100", 1.5, 1.5}, // and qword [rdi], 3; or qword [rsi], 3; xor [r8], eax
        {"ff37", .5, .5},                     // push qword [rdi]
        {"8f07", .5, .5},                     // pop qword [rdi]
        {"a4", .5, .5},                       // movsb
        {"a6", 1, 0},                         // cmpsb
        {"0faef0", 0, 0},                     // mfence
        {"c4e265900c17", 4, 0},               // vpgatherdd ymm1, [rdi+ymm2], ymm3: eight lanes
        {"c4e265910c17", 2, 0},               // vpgatherqd xmm1, [rdi+ymm2], xmm3: four
    };
    static const char text[] =
        "cpu: 1\nname: small\nbase: znver4\nparameters: {loads-per-cycle: 2, stores-per-cycle: 2}\n";
    void *file = NULL;
    assert_int_equal(testing_cpu_file_open(&file, text), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bounds bounds = bounds_of(file, cases[i].hex, false);
        print_message("%s: loads %.3f, stores %.3f\n", cases[i].hex, bounds.cycles[BOUND_LOADS],
                      bounds.cycles[BOUND_STORES]);
        assert_true(fabs(bounds.cycles[BOUND_LOADS] - cases[i].loads) < 1e-6);
        assert_true(fabs(bounds.cycles[BOUND_STORES] - cases[i].stores) < 1e-6);
    }
    testing_cpu_file_close(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(largest_bounds), cmocka_unit_test(front_end_bounds),
                                       cmocka_unit_test(new_pages), cmocka_unit_test(accesses_are_counted)};
    return cmocka_run_group_tests(tests, open_small, testing_cpu_file_close);
}
