// What the CPU files of Skylake, Haswell and Ivy Bridge say of instructions that LLVM's models have otherwise. Times
// are uops.info's and BHive's.
#include "analyzer/predict/bounds.h"
#include "analyzer/predict/core_plan.h"
#include "analyzer/predict/testing_cpu_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_FILES = 3 };
static const char *const names[N_FILES] = {"cpu:skylake", "cpu:haswell", "cpu:ivybridge"};

static int open_files(void **state) {
    struct testing_cpu_file *files = calloc(N_FILES, sizeof *files);
    struct fail fail = {0};
    bool is_open = files;
    for (unsigned i = 0; i < N_FILES && is_open; i++) {
        const struct backend_options options = {.triple = "x86_64-linux-gnu", .cpu = names[i]};
        is_open = model_open(&files[i].model, &files[i].arena, NULL, &options, &fail);
    }
    *state = files;
    fail_print(&fail, stderr);
    return is_open ? 0 : -1;
}

static int close_files(void **state) {
    struct testing_cpu_file *files = *state;
    for (unsigned i = 0; i < N_FILES; i++) {
        model_close(&files[i].model);
        arena_free(&files[i].arena);
    }
    free(files);
    return 0;
}

static void blocks_take_as_long(void **state) {
    struct testing_cpu_file *files = *state;
    static const struct {
        const char *hex;
        double cycles[N_FILES]; // 0: not asked
    } cases[] = {
        {"f30fb8c3", {3, 3, 3}},           // popcnt eax, ebx: as if it read eax
        {"f3480fb803", {3, 3, 3}},         // popcnt rax, [rbx]
        {"f3480fbcc2", {1, 3, 3}},         // tzcnt rax, rdx
        {"f30fbdc3", {1, 3, 3}},           // lzcnt eax, ebx
        {"31c0f30fb8c3", {1, 1, 1}},       // xor eax, eax; popcnt eax, ebx
        {"48f7e3", {3, 3, 3}},             // mul rbx: from rax to rax
        {"4889c848f7e34889d1", {4, 4, 4}}, // mov rax, rcx; mul rbx; mov rcx, rdx: to the high half
        {"660f76c0", {.5, .5, .5}},        // pcmpeqd xmm0, xmm0: all ones, whatever it was
        {"660f76c0660ffec1", {0, 1, 1}},   // pcmpeqd xmm0, xmm0; paddd xmm0, xmm1: no chain
        {"660f76c1", {1, 1, 1}},           // pcmpeqd xmm0, xmm1
        {"4883d000", {1, 1, 2}},           // adc rax, 0
        {"4883d001", {1, 2, 2}},           // adc rax, 1
        {"48d3c0", {2, 0, 0}},             // rol rax, cl
        {"4c0fadc8", {4, 4, 0}},           // shrd rax, r9, cl
        {"f84811d8", {1, 2, 2}},           // clc; adc rax, rbx: from rax
        {"f8", {.25, .25, .25}},           // clc: it reads nothing
        {"f5", {1, 1, 1}},                 // cmc: the carry that the one before made
        {"4811d8f9", {1, 2, 2}},           // adc rax, rbx; stc: no carry comes from the turn before
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned f = 0; f < N_FILES; f++) {
            double wanted = cases[i].cycles[f],
                   got = testing_bounds(&files[f], cases[i].hex, (struct bounds_request){.is_loop = false}).most;
            print_message("%s %s: %.3f\n", names[f], cases[i].hex, got);
            if (wanted > 0)
                assert_true(fabs(got - wanted) < 1e-6);
        }
}

// A result of popcnt is one of its sources: with an index, its load stays fused.
static void slots_of_indexed_loads(void **state) {
    struct testing_cpu_file *files = *state;
    static const struct {
        const char *hex;
        double slots[N_FILES];
    } cases[] = {
        {"f3480fb8040b", {1, 1, 2}}, // popcnt rax, [rbx+rcx]
        {"f3480fbc040b", {2, 1, 2}}, // tzcnt rax, [rbx+rcx]
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned f = 0; f < N_FILES; f++)
            assert_true(testing_bounds(&files[f], cases[i].hex, (struct bounds_request){.is_loop = false}).slots ==
                        cases[i].slots[f]);
}

static bool describes(struct testing_cpu_file *file, const char *text, struct block *block, struct fail *fail) {
    struct backend_source source;
    bool is_read = model_describe_text(&file->model, &file->arena, "block.s", text, &source, fail);
    if (is_read)
        *block = source.blocks[0];
    return is_read;
}

// Which instructions a CPU faults at was seen under an emulator of it.
static void what_is_lacked_is_refused(void **state) {
    struct testing_cpu_file *files = *state;
    static const struct {
        const char *text, *says; // null: Ivy Bridge executes it
    } cases[] = {
        {"addq $1, %rax\nvpaddd %ymm0, %ymm1, %ymm2\nandnl %eax, %ebx, %ecx\n", "has no AVX2, which instruction 2"},
        {"vfmadd231sd %xmm0, %xmm1, %xmm2\n", "has no FMA, which instruction 1 of the block needs: vfmadd231sd"},
        {"andnl %eax, %ebx, %ecx\n", "has no BMI,"},
        {"shlxl %eax, %ebx, %ecx\n", "has no BMI2,"},
        {"vpbroadcastd %xmm0, %xmm1\n", "has no AVX2,"},
        {"vpgatherdd %xmm0, (%rax,%xmm1), %xmm2\n", "has no AVX2,"},
        {"vpermq $1, %ymm0, %ymm1\n", "has no AVX2,"},
        {"vpaddd %zmm0, %zmm1, %zmm2\n", "has no AVX-512,"},
        {"movbel (%rax), %ebx\n", "has no MOVBE,"},
        {"vpaddd %xmm0, %xmm1, %xmm2\n", NULL},
        {"vaddps %ymm0, %ymm1, %ymm2\n", NULL},
        {"vptest %ymm0, %ymm1\n", NULL},
        {"vpermilps $1, %ymm0, %ymm1\n", NULL},
        {"vbroadcastss (%rax), %ymm1\n", NULL},
        {"tzcntl %eax, %ebx\nlzcntl %eax, %ebx\npopcntl %eax, %ebx\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_cpu_file *ivybridge = &files[2];
        struct fail fail = {0}, core_fail = {0};
        struct block block;
        struct bounds bounds;
        double cycles;
        assert_true(describes(ivybridge, cases[i].text, &block, &fail));
        const struct bounds_request way = {.cpu = ivybridge->model.own, .block = &block};
        bool is_found = bounds_find(&way, &bounds, &fail);
        print_message("%s: %s\n", cases[i].text, fail.text);
        assert_int_equal(is_found, !cases[i].says);
        assert_int_equal(core_cycles_find(&way, 0, &cycles, &core_fail), !cases[i].says);
        if (cases[i].says)
            assert_non_null(strstr(fail.text, cases[i].says));
        if (cases[i].says)
            assert_string_equal(fail.text, core_fail.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_take_as_long),
        cmocka_unit_test(slots_of_indexed_loads),
        cmocka_unit_test(what_is_lacked_is_refused),
    };
    return cmocka_run_group_tests(tests, open_files, close_files);
}
