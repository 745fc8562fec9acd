#include "base/text.h"
#include "gen/expand.h"
#include "gen/gen.h"
#include "gen/registers.h"
#include "gen/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct program expand(struct arena *arena, const struct kernel *kernel, struct gen_request request) {
    struct program program;
    struct fail failure = {0};
    if (!gen_expand(arena, kernel, &request, &program, &failure))
        fail_msg("%s", failure.text);
    return program;
}

static const char fma_zmm[] = "body: vfmadd231ps {acc:zmm}, {a:zmm}, {b:zmm}\nchain: acc";
static const char add3[] = "body: vaddps {d:ymm}, {x:ymm}, {y:ymm}\nchain: [d->x, d->y]";
static const char load[] = "body: mov {d:r64}, [{p:r64}]\nchain: d->p\ninit: {p: memory}";
static const char store[] = "body: mov [{p:r64} + {at:8}], {s:r64}\ninit: {p: memory}";

static const struct {
    unsigned source;
    const char *kernel;
    struct gen_request request;
    const char *body, *setup, *symbol, *arc;
    unsigned unroll;
} expected[] = {
    {__LINE__,
     fma_zmm,
     {.mode = PROGRAM_LATENCY, .form = PROGRAM_LOOPED},
     "vfmadd231ps zmm0, zmm1, zmm2\n",
     "vpxord zmm0, zmm0, zmm0\nvpxord zmm1, zmm1, zmm1\nvpxord zmm2, zmm2, zmm2\n",
     "k_latency_looped",
     "acc->acc",
     1},
    {__LINE__,
     fma_zmm,
     {.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_UNROLLED, .streams = 3},
     "vfmadd231ps zmm0, zmm3, zmm4\nvfmadd231ps zmm1, zmm3, zmm4\nvfmadd231ps zmm2, zmm3, zmm4\n",
     NULL,
     "k_throughput_n3_x85",
     NULL,
     85},
    {__LINE__,
     add3,
     {.mode = PROGRAM_LATENCY, .form = PROGRAM_LOOPED},
     "vaddps ymm0, ymm0, ymm1\n",
     "vxorps ymm0, ymm0, ymm0\nvxorps ymm1, ymm1, ymm1\n",
     "k_latency_1_looped",
     "d->x",
     1},
    {__LINE__,
     add3,
     {.mode = PROGRAM_LATENCY, .form = PROGRAM_UNROLLED, .arc = 1},
     "vaddps ymm0, ymm1, ymm0\n",
     NULL,
     "k_latency_2_x256",
     "d->y",
     256},
    {__LINE__,
     add3,
     {.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_UNROLLED, .streams = 2, .unroll = 7},
     "vaddps ymm0, ymm2, ymm3\nvaddps ymm1, ymm2, ymm3\n",
     NULL,
     "k_throughput_n2_x7",
     NULL,
     7},
    // other registers, where there are enough: around the end of the class
    {__LINE__,
     fma_zmm,
     {.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_LOOPED, .streams = 2, .rotation = 29},
     "vfmadd231ps zmm29, zmm31, zmm0\nvfmadd231ps zmm30, zmm31, zmm0\n",
     NULL,
     "k_throughput_n2_looped_r29",
     NULL,
     1},
    {__LINE__,
     add3,
     {.mode = PROGRAM_BLOCK, .form = PROGRAM_LOOPED, .unroll = 7},
     "vaddps ymm0, ymm1, ymm2\n",
     NULL,
     "k_block_looped",
     NULL,
     1},
    {__LINE__,
     load,
     {.mode = PROGRAM_LATENCY, .form = PROGRAM_LOOPED},
     "mov rax, [rax]\n",
     "mov rax, rsi\n",
     "k_latency_looped",
     "d->p",
     1},
    {__LINE__,
     load,
     {.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_LOOPED, .streams = 2},
     "mov rax, [rdx]\nmov rcx, [rdx]\n",
     "mov eax, 0\nmov rdx, rsi\nmov ecx, 0\n",
     "k_throughput_n2_looped",
     NULL,
     1},
    // a chain through two widths of one register
    {__LINE__,
     "body: movzx {d:r32}, {s:r8}\nchain: d->s\ninit: {s: -1}",
     {.form = PROGRAM_LOOPED},
     "movzx eax, al\n",
     "mov eax, 255\n",
     "k_latency_looped",
     "d->s",
     1},
    // implicit registers and those in the text are nobody's, and start as zero
    {__LINE__,
     "body: 'mul {s:r64}; mov {d:r64}, rbx'\nimplicit: [rax, rdx]\nwrites: d",
     {.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_LOOPED, .streams = 2},
     "mul rdi\nmov rcx, rbx\nmul rdi\nmov rbp, rbx\n",
     "mov ebx, 0\nmov edi, 0\nmov ecx, 0\nmov eax, 0\nmov edx, 0\nmov ebp, 0\n",
     "k_throughput_n2_looped",
     NULL,
     1},
    // masks and other braces
    {__LINE__,
     "body: 'vaddps {d:zmm}{{m:k}}{z}, {x:zmm}, {x:zmm}{rn-sae}'\ninit: {m: 3}",
     {.mode = PROGRAM_BLOCK},
     "vaddps zmm0{k1}{z}, zmm1, zmm1{rn-sae}\n",
     NULL,
     "k_block_x256",
     NULL,
     256},
    // a role again without its class, also before it; what is no role is the assembler's; k0 where that is fine
    {__LINE__,
     "body: 'vpaddd {x}{k2}{z}, {x:zmm}, {y:zmm}; kandw {d:kany}, {d}, {m:k}; {evex} vpaddd {x}, {x}, {y}'",
     {.mode = PROGRAM_BLOCK, .form = PROGRAM_LOOPED},
     "vpaddd zmm0{k2}{z}, zmm0, zmm1\nkandw k0, k0, k1\n{evex} vpaddd zmm0, zmm0, zmm1\n",
     NULL,
     "k_block_looped",
     NULL,
     1},
    // roles that are always one register: nobody else's, one in all streams, and the other end of a chain is it, too
    {__LINE__,
     "body: 'shl {d:r64}, {c:cl}'\nchain: d\ninit: {c: 3}",
     {.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_LOOPED, .streams = 2},
     "shl rax, cl\nshl rdx, cl\n",
     "mov eax, 0\nmov ecx, 3\nmov edx, 0\n",
     "k_throughput_n2_looped",
     NULL,
     1},
    {__LINE__,
     "body: 'mul {s:r64}'\nimplicit: [rax, rdx]\nchain: [rdx->s, rax]\ninit: {rax: 5}",
     {.mode = PROGRAM_LATENCY, .form = PROGRAM_LOOPED},
     "mul rdx\n",
     "mov eax, 5\nmov edx, 0\n",
     "k_latency_1_looped",
     "rdx->s",
     1},
    {__LINE__,
     "body: 'mul {s:r64}'\nimplicit: [rax, rdx]\nchain: [rdx->s, rax]\ninit: {s: 7}",
     {.mode = PROGRAM_LATENCY, .form = PROGRAM_LOOPED, .arc = 1},
     "mul rcx\n",
     "mov ecx, 7\nmov eax, 0\nmov edx, 0\n",
     "k_latency_2_looped",
     "rax->rax",
     1},
    // the register that holds the buffer's address serves the other values, and is set last
    {__LINE__,
     "body: 'lodsq; movaps {x:xmm}, {y:xmm}'\nimplicit: [rsi, rax, rsp]\ninit: {y: f32 1, rsi: 9}",
     {.mode = PROGRAM_BLOCK, .form = PROGRAM_LOOPED},
     "lodsq\nmovaps xmm0, xmm1\n",
     "xorps xmm0, xmm0\nmov dword ptr [rsi - 64], 1065353216\nmov dword ptr [rsi - 60], 1065353216\n"
     "mov dword ptr [rsi - 56], 1065353216\nmov dword ptr [rsi - 52], 1065353216\nmovups xmm1, [rsi - 64]\n"
     "mov eax, 0\nmov esi, 9\n",
     "k_block_looped",
     NULL,
     1},
    {__LINE__,
     "body: 'mov {d:r64}, [{p:rsi}]'\nchain: d->p\ninit: {p: memory}",
     {.mode = PROGRAM_LATENCY, .form = PROGRAM_LOOPED},
     "mov rsi, [rsi]\n",
     "",
     "k_latency_looped",
     "d->p",
     1},
};

static void kernels_expand_as_expected(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct arena arena = {0};
        struct program program = expand(&arena, testing_kernel_of(&arena, expected[i].kernel), expected[i].request);
        bool same = strcmp(program.body, expected[i].body) == 0 &&
                    (!expected[i].setup || strcmp(program.setup, expected[i].setup) == 0) &&
                    strcmp(program.symbol, expected[i].symbol) == 0 && program.unroll == expected[i].unroll &&
                    (expected[i].arc ? program.arc && strcmp(program.arc, expected[i].arc) == 0 : !program.arc);
        if (!same)
            fail_msg("%s:%u: got %s\n%s%sunroll %u, arc %s", __FILE__, expected[i].source, program.symbol,
                     program.setup, program.body, program.unroll, program.arc ? program.arc : "none");
        arena_free(&arena);
    }
}

static void as_many_streams_as_fit(void **state) {
    (void)state;
    static const struct {
        const char *kernel;
        unsigned streams;
    } cases[] = {
        {fma_zmm, GEN_MAX_STREAMS},                                  // 32 registers
        {add3, 14},                                                  // 16, two of them sources
        {"body: 'add {d:r64}, {s:r64}'\nchain: d", 12},              // 16 but rsp, rsi, r15 and the source
        {"body: nop", GEN_MAX_STREAMS},                              // no register
        {"body: 'mul {s:r64}'\nimplicit: [rax, rdx]\nchain: s", 11}, //
        {"body: 'vaddps {d:xmm32}, {x:xmm32}, {y:xmm32}'\nchain: d->x", GEN_MAX_STREAMS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct gen_request request = {.mode = PROGRAM_THROUGHPUT};
        struct program program = expand(&arena, testing_kernel_of(&arena, cases[i].kernel), request);
        assert_int_equal(program.streams, cases[i].streams);
        arena_free(&arena);
    }
}

static void assert_refused(const char *kernel, struct gen_request request, const char *text) {
    struct arena arena = {0};
    struct program program;
    struct fail failure = {0};
    assert_false(gen_expand(&arena, testing_kernel_of(&arena, kernel), &request, &program, &failure));
    assert_int_equal(failure.status, FAIL_INPUT);
    assert_string_equal(failure.text, text);
    arena_free(&arena);
}

static void what_cannot_be_expanded_is_said(void **state) {
    (void)state;
    assert_refused(add3, (struct gen_request){.mode = PROGRAM_THROUGHPUT, .streams = 15},
                   "15 streams of kernel 'k' do not fit in the registers: at most 14 do");
    assert_refused("body: nop", (struct gen_request){.mode = PROGRAM_THROUGHPUT, .streams = 2000},
                   "2000 streams are too many: at most 1024 can be made");
    assert_refused("body: nop", (struct gen_request){.mode = PROGRAM_LATENCY},
                   "kernel 'k' has no chain, so it has no latency; measure its throughput");
    assert_refused(add3, (struct gen_request){.mode = PROGRAM_LATENCY, .arc = 2},
                   "kernel 'k' has 2 chains; there is no chain number 3");
    assert_refused("body: nop\nimplicit: [rbx, rbp, r8, r9, r10, r11, r12, r13, r14, r15]",
                   (struct gen_request){.mode = PROGRAM_BLOCK},
                   "kernel 'k' leaves no register to count the loop: leave it one of r15, r14, r13, r12, r11, r10, "
                   "r9, r8, rbp, rbx");
    assert_refused("body: 'inc {d:r64}'\nimplicit: [rax, rcx, rdx, rdi, rbx, rbp, r8, r9, r10, r11, r12, r13, r14]",
                   (struct gen_request){.mode = PROGRAM_BLOCK}, "there are not enough registers for kernel 'k'");
    assert_refused("body: 'mul {s:r64}'\nimplicit: [rax, rdx]\nchain: rax",
                   (struct gen_request){.mode = PROGRAM_THROUGHPUT},
                   "kernel 'k' has no throughput: its copies wait for each other through rax, which all streams share; "
                   "measure its latency");
    assert_refused(
        "body: 'mov [{p:r64} + {at:4096}], {s:r64}'",
        (struct gen_request){.mode = PROGRAM_THROUGHPUT, .streams = 9, .placement = PLACEMENT_OWN_PAGES},
        "9 streams of kernel 'k' do not fit in the placement own-pages: at most 8, by the size of the buffer "
        "(65536 bytes) and the reach of the instructions");
    // 16 zmm registers are left, but none that is an xmm register as well
    assert_refused(
        "body: 'vextractf32x4 {d:zmm}, {s:xmm}, 0'\nchain: d->s\nimplicit: [xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, "
        "xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15]",
        (struct gen_request){.mode = PROGRAM_LATENCY}, "there are not enough registers for kernel 'k'");
}

// Every stream's chain in a register of its own, no source among them, none that is reserved.
static void streams_share_nothing_that_is_written(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct kernel *kernel = testing_kernel_of(&arena, "body: 'mul {a:r64}; add {b:r32}, {s:r32}'\n"
                                                            "chain: [a, b]\nimplicit: [rax, rdx]");
    for (unsigned n = 1; n <= 4; n++) {
        struct program program = expand(
            &arena, kernel, (struct gen_request){.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_LOOPED, .streams = n});
        struct slice rest = {program.body, strlen(program.body)}, word;
        struct register_name found;
        unsigned position = 0, source = 99;
        struct register_set written = {0};
        while (register_next(kernel->isa, &rest, &word, &found)) {
            bool is_source = position++ % 3 == 2;
            if (is_source) {
                assert_true(source == 99 || source == found.index);
                source = found.index;
            } else {
                assert_false(register_set_has(&written, found.class, found.index));
                register_set_add(&written, found.class, found.index);
            }
        }
        assert_int_equal(position, 3 * n);
        assert_false(register_set_has(&written, kernel->isa->classes, source));
        struct register_set forbidden = {0};
        register_set_add_text(&forbidden, kernel->isa, "rsp rsi rax rdx");
        register_set_add_name(&forbidden, kernel->isa, program.loop_counter);
        assert_int_equal(written.files[0] & forbidden.files[0], 0);
    }
    arena_free(&arena);
}

// Registers of Armv7's vector file that are parts of each other are not given to two roles; where they are the ends of
// a chain, one is the low part of the other.
static void parts_of_registers_are_registers(void **state) {
    (void)state;
    static const struct {
        enum program_mode mode;
        const char *keys, *body;
    } cases[] = {
        {PROGRAM_LATENCY, "body: vmull.s16 {d:q}, {x:d}, {y:d}\n    chain: d->x", "vmull.s16 q0, d0, d2\n"},
        {PROGRAM_LATENCY, "body: vmull.s16 {d:q}, {x:d}, {y:d}\n    chain: d->y", "vmull.s16 q0, d2, d0\n"},
        {PROGRAM_LATENCY, "body: vcvt.f64.f32 {d:d}, {x:s}\n    chain: d->x", "vcvt.f64.f32 d0, s0\n"},
        {PROGRAM_LATENCY, "body: vcvt.f32.f64 {d:s}, {x:d}\n    chain: d->x", "vcvt.f32.f64 s0, d0\n"},
        {PROGRAM_THROUGHPUT, "body: vadd.f32 {d:s}, {x:s}, s0\n    chain: d->x",
         "vadd.f32 s1, s3, s0\nvadd.f32 s2, s3, s0\n"},
        {PROGRAM_THROUGHPUT, "body: vadd.i8 {d:q}, {x:q}, {x:q}\n    implicit: d1\n    chain: d->x",
         "vadd.i8 q1, q3, q3\nvadd.i8 q2, q3, q3\n"},
        {PROGRAM_THROUGHPUT, "body: vadd.s8 {d:d}, {x:d}, s5\n    chain: d->x",
         "vadd.s8 d0, d3, s5\nvadd.s8 d1, d3, s5\n"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        const char *yaml = arena_printf(&arena, "isa: armv7\nkernels:\n  - name: k\n    %s\n", cases[i].keys);
        struct program program =
            expand(&arena, testing_kernel(&arena, yaml),
                   (struct gen_request){.mode = cases[i].mode, .form = PROGRAM_LOOPED, .streams = 2});
        assert_string_equal(program.body, cases[i].body);
        arena_free(&arena);
    }
}

// `setup` runs behind the initial values, and no role has its registers. It may name those that roles have.
static void set_up_comes_last(void **state) {
    (void)state;
    struct arena arena = {0};
    struct program program =
        expand(&arena, testing_kernel_of(&arena, "setup: 'mov eax, 3; cpuid'\nbody: 'add {d:r64}, {s:r64}'"),
               (struct gen_request){.mode = PROGRAM_BLOCK, .form = PROGRAM_LOOPED});
    assert_string_equal(program.setup, "mov ecx, 0\nmov edx, 0\nmov eax, 3; cpuid\n");
    assert_string_equal(program.body, "add rcx, rdx\n");
    program = expand(&arena, testing_kernel_of(&arena, "setup: 'mov {s}, 3 # {x}'\nbody: 'add {d:r64}, {s:r64}'"),
                     (struct gen_request){.mode = PROGRAM_BLOCK, .form = PROGRAM_LOOPED});
    assert_non_null(strstr(program.setup, "\nmov rcx, 3 # {x}\n"));
    arena_free(&arena);
}

static void values_reach_their_lanes(void **state) {
    (void)state;
    struct arena arena = {0};
    struct gen_request request = {.mode = PROGRAM_BLOCK, .form = PROGRAM_LOOPED};
    struct program program = expand(
        &arena, testing_kernel_of(&arena, "body: addps {a:xmm}, {b:xmm}\ninit: {a: f32 1.5, b: i8 -1}"), request);
    assert_string_equal(program.setup, "mov dword ptr [rsi - 64], 1069547520\nmov dword ptr [rsi - 60], 1069547520\n"
                                       "mov dword ptr [rsi - 56], 1069547520\nmov dword ptr [rsi - 52], 1069547520\n"
                                       "movups xmm0, [rsi - 64]\n"
                                       "mov dword ptr [rsi - 64], 4294967295\nmov dword ptr [rsi - 60], 4294967295\n"
                                       "mov dword ptr [rsi - 56], 4294967295\nmov dword ptr [rsi - 52], 4294967295\n"
                                       "movups xmm1, [rsi - 64]\n");
    const char *yaml = "isa: aarch64\nkernels:\n  - name: k\n    body: fadd {a:v}.2d, {b:v}.2d, {c:v}.2d\n"
                       "    init: {a: f64 1.5, b: f32 -0.5, c: 0}\n";
    program = expand(&arena, testing_kernel(&arena, yaml), request);
    assert_string_equal(program.body, "fadd v0.2d, v1.2d, v2.2d\n");
    assert_string_equal(program.setup, "movz x16, #0\nmovk x16, #16376, lsl #48\ndup v0.2d, x16\n"
                                       "movz x16, #0\nmovk x16, #48896, lsl #16\ndup v1.4s, w16\n"
                                       "movi v2.2d, #0\n");
    arena_free(&arena);
}

static const struct {
    unsigned source;
    const char *kernel;
    enum program_placement placement;
    unsigned streams;
    const char *body, *symbol;
} placements[] = {
    {__LINE__, store, PLACEMENT_SAME_ADDRESS, 2, "mov [rax + 0], rcx\nmov [rax + 0], rcx\n",
     "k_throughput_n2_same_address_looped"},
    {__LINE__, store, PLACEMENT_SAME_LINE, 2, "mov [rax + 0], rcx\nmov [rax + 8], rcx\n",
     "k_throughput_n2_same_line_looped"},
    {__LINE__, store, PLACEMENT_OWN_LINES, 3, "mov [rax + 0], rcx\nmov [rax + 72], rcx\nmov [rax + 144], rcx\n",
     "k_throughput_n3_own_lines_looped"},
    {__LINE__, store, PLACEMENT_NONE, 2, "mov [rax + 0], rcx\nmov [rax + 72], rcx\n",
     "k_throughput_n2_own_lines_looped"},
    {__LINE__, store, PLACEMENT_OWN_PAGES, 2, "mov [rax + 0], rcx\nmov [rax + 4168], rcx\n",
     "k_throughput_n2_own_pages_looped"},
    {__LINE__, store, PLACEMENT_OWN_PAGES, 1, "mov [rax + 0], rcx\n", "k_throughput_n1_looped"},
    // a line holds no two of these
    {__LINE__, "body: 'mov [{p:r64} + {at:48}], {s:r64}'", PLACEMENT_SAME_LINE, 2,
     "mov [rax + 0], rcx\nmov [rax + 0], rcx\n", "k_throughput_n2_same_line_looped"},
    {__LINE__, "body: 'mov [{p:r64} + {at:200}], {s:r64}'", PLACEMENT_OWN_LINES, 2,
     "mov [rax + 0], rcx\nmov [rax + 256], rcx\n", "k_throughput_n2_own_lines_looped"},
    // several places of one stream; the same one again
    {__LINE__, "body: 'mov {x:r64}, [{p:r64} + {a:8}]; mov [{p} + {b:8}], {x}; inc qword ptr [{p} + {a}]'\nwrites: x",
     PLACEMENT_OWN_LINES, 2,
     "mov rax, [rdx + 0]\nmov [rdx + 72], rax\ninc qword ptr [rdx + 0]\n"
     "mov rcx, [rdx + 144]\nmov [rdx + 216], rcx\ninc qword ptr [rdx + 144]\n",
     "k_throughput_n2_own_lines_looped"},
};

static void memory_lies_as_the_placement_says(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof placements / sizeof *placements; i++) {
        struct arena arena = {0};
        const struct gen_request request = {.mode = PROGRAM_THROUGHPUT,
                                            .form = PROGRAM_LOOPED,
                                            .streams = placements[i].streams,
                                            .placement = placements[i].placement};
        struct program program = expand(&arena, testing_kernel_of(&arena, placements[i].kernel), request);
        if (strcmp(program.body, placements[i].body) != 0 || strcmp(program.symbol, placements[i].symbol) != 0)
            fail_msg("%s:%u: got %s\n%s", __FILE__, placements[i].source, program.symbol, program.body);
        assert_true((program.placement == PLACEMENT_NONE) == (placements[i].streams == 1));
        arena_free(&arena);
    }
}

// Alone, a stream is where the pointer points; and a pointer of its own is there for each.
static void a_stream_alone_is_at_the_pointer(void **state) {
    (void)state;
    struct arena arena = {0};
    struct gen_request request = {.form = PROGRAM_LOOPED, .placement = PLACEMENT_OWN_PAGES};
    struct program program = expand(
        &arena, testing_kernel_of(&arena, "body: 'mov {d:r64}, [{p:r64} + {at:8}]'\nchain: d->p\ninit: {p: memory}"),
        request);
    assert_string_equal(program.body, "mov rax, [rax + 0]\n");
    assert_int_equal(program.placement, PLACEMENT_NONE);
    request.mode = PROGRAM_THROUGHPUT;
    request.streams = 9;
    program =
        expand(&arena, testing_kernel_of(&arena, "body: 'lddqu {d:xmm}, [{p:r64}]'\ninit: {p: \"memory + {at:16}\"}"),
               request);
    assert_non_null(strstr(program.setup, "mov rax, rsi\nmov rcx, rsi\nlea rcx, [rcx + 4176]\n"));
    assert_non_null(strstr(program.setup, "lea r10, [r10 - 32256]\n")); // around the end of the buffer
    assert_string_equal(program.label, "lddqu xmm, [r64]");
    arena_free(&arena);
}

static void as_many_streams_as_memory_and_instructions_reach(void **state) {
    (void)state;
    static const struct {
        const char *isa, *body, *init;
        unsigned streams[PROGRAM_N_PLACEMENTS]; // that fit, of 32
    } cases[] = {
        {"x86_64", "'mov [{p:r64} + {at:8}], {s:r64}'", "memory", {0, 32, 32, 32, 16}},
        {"x86_64", "'mov [{p:r64} + {at:4096}], {s:r64}'", "memory", {0, 32, 32, 16, 8}},
        {"mips", "'sw {s:r}, {at:4}({p:r})'", "memory", {0, 32, 32, 32, 16}},
        {"aarch64", "'str {s:x}, [{p:x}, #{at:8}]'", "memory", {0, 32, 32, 32, 8}},
        {"aarch64", "'strb {s:w}, [{p:x}, #{at:1}]'", "memory", {0, 32, 32, 32, 1}},
        {"aarch64", "'stp {s:x}, {s}, [{p:x}, #{at:16,504}]'", "memory", {0, 32, 32, 8, 1}},
        {"armv7", "'str {s:r}, [{p:r}, #{at:4}]'", "memory", {0, 32, 32, 32, 1}},
        {"armv7", "'strh {s:r}, [{p:r}, #{at:2}]'", "memory", {0, 32, 32, 4, 1}},
        {"armv7", "'vst1.8 {{s:d}}, [{p:r}]'", "\"memory + {at:8}\"", {0, 32, 32, 32, 16}},
        {"riscv64", "'sd {s:x}, {at:8}({p:x})'", "memory", {0, 32, 32, 32, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        const char *yaml = arena_printf(&arena, "isa: %s\nkernels:\n  - name: k\n    body: %s\n    init: {p: %s}\n",
                                        cases[i].isa, cases[i].body, cases[i].init);
        const struct kernel *kernel = testing_kernel(&arena, yaml);
        for (enum program_placement p = PLACEMENT_SAME_ADDRESS; p < PROGRAM_N_PLACEMENTS; p++)
            if (gen_placement_streams(kernel, p, 32) != cases[i].streams[p])
                fail_msg("%s: %u streams fit in %s", cases[i].body, gen_placement_streams(kernel, p, 32),
                         program_placement_name(p));
        arena_free(&arena);
    }
}

// An exact number of copies, or about as many as instructions fill; at least one.
static void copies_fill_the_unrolled_form(void **state) {
    (void)state;
    static const struct {
        enum program_form form;
        unsigned wanted, n_body, copies;
    } cases[] = {
        {PROGRAM_UNROLLED, 0, 1, 256}, {PROGRAM_UNROLLED, 0, 3, 85},  {PROGRAM_UNROLLED, 0, 257, 1},
        {PROGRAM_UNROLLED, 7, 16, 7},  {PROGRAM_UNROLLED, 0, 0, 256}, // data
        {PROGRAM_LOOPED, 7, 16, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(program_unroll(cases[i].form, cases[i].wanted, cases[i].n_body, 256), cases[i].copies);
}

// What the loop's own end executes each time, by what the body does with flags and rcx.
static void a_loop_leaves_flags_alone_where_the_body_reads_them(void **state) {
    (void)state;
    static const struct {
        const char *kernel, *counter;
        unsigned instructions, branches;
    } cases[] = {
        {"body: 'adc {d:r64}, {s:r64}'\nchain: d", "r15", 2, 1},
        {"body: 'adc {d:r64}, {s:r64}'\nchain: flags", "rcx", 3, 2},
        {"body: 'rcl {d:r64}, {c:cl}'\nchain: flags", "r15", 5, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        const struct kernel *kernel = testing_kernel_of(&arena, cases[i].kernel);
        for (int form = PROGRAM_UNROLLED; form <= PROGRAM_LOOPED; form++) {
            struct gen_request request = {.form = (enum program_form)form, .unroll = 7};
            struct program program = expand(&arena, kernel, request);
            assert_string_equal(program.loop_counter, cases[i].counter);
            assert_int_equal(program.preserves_flags, i > 0);
            assert_int_equal(program.loop_instructions, cases[i].instructions);
            assert_int_equal(program.loop_branches, cases[i].branches);
            assert_int_equal(program_iteration_instructions(&program), program.unroll + cases[i].instructions);
        }
        arena_free(&arena);
    }
}

// RISC-V's branches reach 4 KiB: a longer loop ends with a branch over a jump.
static void a_long_loop_is_left_by_a_branch(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct kernel *kernel =
        testing_kernel(&arena, "isa: riscv64\nkernels:\n  - {name: k, body: 'add {d:x}, {d}, {s:x}', chain: d}\n");
    for (unsigned unroll = 999; unroll <= 1001; unroll += 2) {
        struct gen_request request = {.form = PROGRAM_UNROLLED, .unroll = unroll};
        struct program program = expand(&arena, kernel, request);
        bool is_far = unroll > 1000;
        struct text end = {.arena = &arena};
        isa_find("riscv64")->emit_loop_end(&end, &program);
        assert_int_equal(program.loop_instructions, is_far ? 3 : 2);
        assert_int_equal(program.loop_branches, is_far ? 2 : 1);
        assert_true((strstr(end.data, "beqz") != NULL) == is_far);
    }
    arena_free(&arena);
}

static void labels_are_short(void **state) {
    (void)state;
    static const struct {
        const char *kernel, *label;
    } cases[] = {
        {fma_zmm, "vfmadd231ps zmm"},
        {load, "mov r64, [r64]"},
        {"body: nop", "nop"},
        {"body: 'lea {d:r64}, [{b:r64} + {i:r64} * 4]'", "lea r64, [r64 + r64 * 4]"},
        {"body: 'shl {d:r64}, 3; nop'", "shl r64, 3"},
        {"body: 'vaddps {d:ymm32}, {d:ymm32}, ymm20'", "vaddps ymm"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct program program =
            expand(&arena, testing_kernel_of(&arena, cases[i].kernel), (struct gen_request){.mode = PROGRAM_BLOCK});
        assert_string_equal(program.label, cases[i].label);
        arena_free(&arena);
    }
}

static void chases_walk_through_rings(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct kernel *kernel = testing_kernel_of(
        &arena, "body: 'mov {p:r64}, [{p}]; nop; mov {d:r64}, [{q:r64} + 8]; mov {q}, [{q}]; add {d}, {p}'\n"
                "writes: d\ninit: {p: chase 1M, q: chase 1M}");
    struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .streams = 2};
    struct program program = expand(&arena, kernel, request);
    const uint8_t steps[] = {1, 0, 0, 1, 0, 1, 0, 0, 1, 0}; // an instruction that names the chase twice
    assert_int_equal(program.n_chases, 4);
    assert_int_equal(program.chase_bytes, 1 << 20);
    assert_memory_equal(program.are_steps, steps, sizeof steps);
    for (unsigned i = 0; i < program.n_chases; i++)
        assert_int_equal(program.chase_steps[i], 1);
    // Each stream's chase begins at a word of its own.
    for (unsigned i = 0; i < program.n_chases; i++)
        assert_non_null(strstr(program.setup, arena_printf(&arena, "+ %u]", PROGRAM_CHASES + 8 * i)));
    // As many as memory holds, where no number is requested.
    request.streams = 0;
    kernel = testing_kernel_of(&arena, "body: 'mov {p:r64}, [{p}]'\ninit: {p: chase 128M}");
    assert_int_equal(expand(&arena, kernel, request).streams, 4);
    static const struct {
        const char *init;
        size_t bytes;
        enum chase_layout layout;
    } rings[] = {{"20K", 20 << 10, CHASE_LINES},
                 {"288K in blocks", 288 << 10, CHASE_BLOCKS},
                 {"12M by page", 12 << 20, CHASE_PAGES}};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        kernel = testing_kernel_of(
            &arena, arena_printf(&arena, "body: 'mov {p:r64}, [{p}]'\ninit: {p: chase %s}", rings[i].init));
        program = expand(&arena, kernel, (struct gen_request){.mode = PROGRAM_THROUGHPUT, .streams = 1});
        assert_int_equal(program.chase_bytes, rings[i].bytes);
        assert_int_equal(program.chase_layout, rings[i].layout);
    }
    arena_free(&arena);
}

static void chases_that_do_not_fit_are_refused(void **state) {
    (void)state;
    struct arena arena = {0};
    struct program program;
    struct fail failure = {0};
    struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .streams = 5};
    const struct kernel *kernel = testing_kernel_of(&arena, "body: 'mov {p:r64}, [{p}]'\ninit: {p: chase 128M}");
    assert_false(gen_expand(&arena, kernel, &request, &program, &failure));
    assert_non_null(strstr(failure.text, "at most 4 fit"));
    fail_clear(&failure);
    kernel = testing_kernel_of(&arena, "body: 'mov {p:r64}, [{p}]; mov {q:r64}, [{q}]'\n"
                                       "init: {p: chase 1M, q: chase 2M}");
    request.streams = 1;
    assert_false(gen_expand(&arena, kernel, &request, &program, &failure));
    assert_non_null(strstr(failure.text, "must have the same size"));
    fail_clear(&failure);
    kernel = testing_kernel_of(&arena, "body: 'mov {p:r64}, [{p}]; mov {q:r64}, [{q}]'\n"
                                       "init: {p: chase 1M, q: chase 1M by page}");
    assert_false(gen_expand(&arena, kernel, &request, &program, &failure));
    assert_non_null(strstr(failure.text, "must have the same size"));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_expand_as_expected),
        cmocka_unit_test(as_many_streams_as_fit),
        cmocka_unit_test(what_cannot_be_expanded_is_said),
        cmocka_unit_test(streams_share_nothing_that_is_written),
        cmocka_unit_test(parts_of_registers_are_registers),
        cmocka_unit_test(set_up_comes_last),
        cmocka_unit_test(values_reach_their_lanes),
        cmocka_unit_test(a_long_loop_is_left_by_a_branch),
        cmocka_unit_test(labels_are_short),
        cmocka_unit_test(chases_walk_through_rings),
        cmocka_unit_test(chases_that_do_not_fit_are_refused),
        cmocka_unit_test(memory_lies_as_the_placement_says),
        cmocka_unit_test(a_stream_alone_is_at_the_pointer),
        cmocka_unit_test(as_many_streams_as_memory_and_instructions_reach),
        cmocka_unit_test(copies_fill_the_unrolled_form),
        cmocka_unit_test(a_loop_leaves_flags_alone_where_the_body_reads_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
