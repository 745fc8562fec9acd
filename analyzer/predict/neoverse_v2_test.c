// AArch64 by the CPU file of a Neoverse V2: small blocks, unrolled, whose cycles follow by hand from Arm's Software
// Optimization Guide as LLVM's model has it. No such CPU has judged them. And what holds of any block: no bound is
// above what the core simulates.
#include "analyzer/predict/bounds.h"
#include "analyzer/predict/core_plan.h"
#include "analyzer/predict/testing_cpu_file.h"

#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int open_file(void **state) {
    struct testing_cpu_file *file = calloc(1, sizeof *file);
    struct fail fail = {0};
    const struct backend_options options = {.cpu = "core:neoverse-v2"};
    *state = file;
    bool is_open = file && model_open(&file->model, &file->arena, NULL, &options, &fail);
    if (!is_open)
        fail_print(&fail, stderr);
    return is_open ? 0 : -1;
}

static struct block block_of(struct testing_cpu_file *file, struct arena *arena, const char *text) {
    struct backend_source source;
    struct fail fail = {0};
    if (!model_describe_text(&file->model, arena, "test", text, &source, &fail))
        fail_msg("%s: %s", text, fail.text);
    assert_int_equal(source.n_blocks, 1);
    return source.blocks[0];
}

struct answer {
    const char *text;
    double cycles;
    const char *why;
};
#define SEVEN_MOVES "mov x2, x9\nmov x3, x9\nmov x4, x9\nmov x5, x9\nmov x6, x9\nmov x7, x9\nmov x8, x9\n"
static const struct answer answers[] = {
    {"add x0, x0, x1", 1, "an add takes a cycle"},
    {"add x0, x1, x2\nadd x3, x1, x2\nadd x4, x1, x2\nadd x5, x1, x2\nadd x6, x1, x2\nadd x7, x1, x2\n"
     "add x8, x1, x2\nadd x9, x1, x2\nadd x10, x1, x2\nadd x11, x1, x2\nadd x12, x1, x2\nadd x13, x1, x2",
     2, "12 of them, on 6 pipes of whole numbers"},
    {"fadd d0, d8, d9\nfadd d1, d8, d9\nfadd d2, d8, d9\nfadd d3, d8, d9", 1, "4 pipes add numbers of vectors"},
    {"mov x0, x1\nmov x1, x0", .25, "a move takes no pipe and no time: 2 of 8 slots a cycle"},
    {"add w0, w0, w1", 1, "w0 is a part of x0, and what writes it needs nothing of the rest"},
    {"add x0, xzr, x1\nadd x2, xzr, x3", 1. / 3, "nothing waits for the zero register: 2 of 6 pipes"},
    {"adc x0, x1, x2\nadds x3, x1, x2", 1. / 3, "from flags to flags there is no chain: adc does not set them"},
    {"adcs x0, x1, x2", 1, "adcs has the flags of the one before"},
    {"cmp x0, #3\nb.eq .", .5, "fused; a branch goes to 2 pipes"},
    {SEVEN_MOVES "cmp x0, x1\nb.eq .", 1, "8 slots, as these two are one"},
    {SEVEN_MOVES "cmp x0, x1, lsl #3\nb.eq .", 9. / 8, "what compares a shifted register does not fuse"},
    {SEVEN_MOVES "tst x0, x1, ror #33\nb.eq .", 9. / 8, "nor what tests one"},
    {"mul x0, x0, x1", 2, "a multiplication takes 2 cycles"},
    {"madd x0, x1, x2, x0", 1, "its accumulator is wanted a cycle later by another one"},
    {"madd x0, x0, x1, x2", 2, "what it multiplies is not"},
    {"fmadd d0, d1, d2, d0", 2, "4 cycles, of which 2 are after the accumulator is wanted"},
    {"fadd d0, d0, d1\nfmadd d0, d1, d2, d0", 6, "an addition's result does not come early: 2 and 4"},
    {"fmla v0.4s, v1.4s, v2.4s\nfmla v3.4s, v1.4s, v2.4s\nfmla v4.4s, v1.4s, v2.4s", 2, "three chains at once"},
    {"ldr x0, [x0]", 4, "a load takes 4 cycles"},
    {"ldr x0, [x1], #8", 1, "the address that moves on takes a cycle, and waits for no load"},
    {"ldr x0, [x1]\nldr x2, [x1, #8]\nldr x3, [x1, #16]", 1, "3 pipes load"},
    {"str x0, [x1]\nstr x2, [x1, #8]", 1, "2 pipes have the data of stores"},
    {"udiv x0, x1, x2", 20, "a division holds its pipe for 20 cycles"},
    {"ld2 {v0.4s, v1.4s}, [x1]\nfadd v1.4s, v1.4s, v2.4s\nfmov x1, d1", 12,
     "8 of the load, whose second register counts, 2, and 2 to a general register"},
};

static void answers_by_hand(void **state) {
    struct testing_cpu_file *file = *state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct arena arena = {0};
        struct fail fail = {0};
        struct bounds bounds;
        double cycles;
        const struct block block = block_of(file, &arena, answers[i].text);
        const struct bounds_request request = {.cpu = file->model.own, .block = &block};
        assert_true(bounds_find(&request, &bounds, &fail));
        assert_true(core_cycles_find(&request, 0, &cycles, &fail));
        if (fabs(bounds.most - answers[i].cycles) > 1e-6 || fabs(cycles - answers[i].cycles) > 1e-6)
            fail_msg("%s\nbounds %g, core %g, not %g: %s", answers[i].text, bounds.most, cycles, answers[i].cycles,
                     answers[i].why);
        arena_free(&arena);
    }
}

static void accesses_are_not_followed(void **state) {
    struct testing_cpu_file *file = *state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct bounds bounds;
    const struct block block = block_of(file, &arena, "str x0, [x1]\nldr x0, [x1]");
    const struct bounds_request request = {.cpu = file->model.own, .block = &block};
    assert_true(bounds_find(&request, &bounds, &fail));
    assert_true(bounds.n_unfollowed > 0); // so that what prints them says so
    arena_free(&arena);
}

static unsigned next(uint64_t *random, unsigned n) {
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*random >> 33) % n;
}

static const char *random_text(struct arena *arena, uint64_t *random) {
    // "%" is a number.
    static const char *const forms[] = {
        "add x%, x%, x%",
        "subs x%, x%, x%",
        "and w%, w%, w%",
        "adcs x%, x%, x%",
        "mul x%, x%, x%",
        "csel x%, x%, x%, ne",
        "mov x%, x%",
        "ldr x%, [x%, x%]",
        "ldr x%, [x1%], #8",
        "str x%, [x1%, #8]!",
        "ldp x%, x2%, [x1%]",
        "stp x%, x%, [x1%]",
        "ldr q%, [x%]",
        "fadd d%, d%, d%",
        "fmul v%.4s, v%.4s, v%.4s",
        "fmla v%.4s, v%.4s, v%.4s",
        "fmov x%, d%",
        "scvtf d%, x%",
        "udiv x%, x%, x%",
        "ld2 {v8.4s, v9.4s}, [x%]",
        "cmp x%, x%",
    };
    struct text text = {.arena = arena};
    const unsigned n = 1 + next(random, 12), most = 8;
    for (unsigned i = 0; i < n; i++) {
        for (const char *c = forms[next(random, sizeof forms / sizeof *forms)]; *c; c++)
            if (*c == '%')
                text_addf(&text, "%u", next(random, most));
            else
                text_addf(&text, "%c", *c);
        text_add(&text, "\n");
    }
    return text.data;
}

static void no_bound_is_above_the_core(void **state) {
    enum { N_BLOCKS = 500 };
    struct testing_cpu_file *file = *state;
    uint64_t random = 7;
    for (unsigned i = 0; i < N_BLOCKS; i++) {
        struct arena arena = {0};
        struct fail fail = {0};
        struct bounds bounds;
        double cycles;
        const char *text = random_text(&arena, &random);
        const struct block block = block_of(file, &arena, text);
        const struct bounds_request request = {.cpu = file->model.own, .block = &block, .is_loop = i % 2};
        assert_true(bounds_find(&request, &bounds, &fail));
        assert_true(core_cycles_find(&request, 0, &cycles, &fail));
        if (bounds.most > cycles * 1.01 + 1e-9) // as core_property_test.c has it
            fail_msg("block %u: the bound %s is %g, the core takes %g\n%s", i, bound_name(bounds.largest), bounds.most,
                     cycles, text);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_by_hand),
        cmocka_unit_test(accesses_are_not_followed),
        cmocka_unit_test(no_bound_is_above_the_core),
    };
    return cmocka_run_group_tests(tests, open_file, testing_cpu_file_close);
}
