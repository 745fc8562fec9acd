// Runs assembled programs on this machine. What they compute is checked; how long they take is not.
#include "bench/host/host.h"
#include "gen/gen.h"
#include "gen/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#if defined __x86_64__

typedef void program_function(uint64_t iterations, void *memory);

// Calls a program with a pattern in all registers it has to save, and says which of them did not survive: bits 0 to 5
// for rbx, rbp, r12 to r15, bit 6 for the stack pointer.
unsigned call_checked(program_function *function, uint64_t iterations, void *memory);
__asm__(".text\n"
        ".globl call_checked\n"
        ".type call_checked, @function\n"
        "call_checked:\n"
        "    push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "    sub $8, %rsp\n"
        "    mov %rsp, saved_stack_pointer(%rip)\n"
        "    mov %rdi, %rax; mov %rsi, %rdi; mov %rdx, %rsi\n"
        "    mov $0x1111111111111111, %rbx\n"
        "    mov $0x2222222222222222, %rbp\n"
        "    mov $0x3333333333333333, %r12\n"
        "    mov $0x4444444444444444, %r13\n"
        "    mov $0x5555555555555555, %r14\n"
        "    mov $0x6666666666666666, %r15\n"
        "    call *%rax\n"
        "    xor %eax, %eax\n"
        "    mov $0x1111111111111111, %rcx; cmp %rcx, %rbx; je 1f; or $1, %eax\n"
        "1:  mov $0x2222222222222222, %rcx; cmp %rcx, %rbp; je 1f; or $2, %eax\n"
        "1:  mov $0x3333333333333333, %rcx; cmp %rcx, %r12; je 1f; or $4, %eax\n"
        "1:  mov $0x4444444444444444, %rcx; cmp %rcx, %r13; je 1f; or $8, %eax\n"
        "1:  mov $0x5555555555555555, %rcx; cmp %rcx, %r14; je 1f; or $16, %eax\n"
        "1:  mov $0x6666666666666666, %rcx; cmp %rcx, %r15; je 1f; or $32, %eax\n"
        "1:  cmp saved_stack_pointer(%rip), %rsp; je 1f; or $64, %eax\n"
        "1:  mov saved_stack_pointer(%rip), %rsp\n"
        "    add $8, %rsp\n"
        "    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "    ret\n"
        ".size call_checked, . - call_checked\n"
        ".local saved_stack_pointer\n"
        ".comm saved_stack_pointer, 8, 8\n");

static uint8_t *memory; // where blocks expect it
static uint8_t *middle;

static int map_memory(void **state) {
    (void)state;
    memory = mmap((void *)TESTING_BLOCK_BUFFER, PROGRAM_MEMORY_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    middle = memory + PROGRAM_MEMORY_BYTES / 2;
    return memory == MAP_FAILED ? -1 : 0;
}

static void need_assembler(void) {
    if (!testing_has_tool("as"))
        skip();
}

static bool can_run(const struct program *program) {
    static struct arena arena;
    static struct host host;
    struct fail failure = {0};
    if (!host.flags && !host_read(&arena, &(struct host_request){.cpu = -1}, &host, &failure))
        fail_msg("%s", failure.text);
    for (unsigned i = 0; program->features[i]; i++)
        if (host_feature(&host, program->features[i]) != FEATURE_PRESENT)
            return false;
    return true;
}

static void run(const struct program *program, uint64_t iterations) {
    size_t bytes = (program->code_bytes + 4095) & ~(size_t)4095;
    uint8_t *frame =
        mmap(NULL, PROGRAM_FRAME_DISTANCE + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(frame, MAP_FAILED);
    uint8_t *code = frame + PROGRAM_FRAME_DISTANCE;
    memcpy(code, program->code, program->code_bytes);
    assert_int_equal(mprotect(code, bytes, PROT_READ | PROT_EXEC), 0);
    memset(memory, 0, PROGRAM_MEMORY_BYTES);
    program_function *function;
    memcpy(&function, &code, sizeof function);
    unsigned lost = call_checked(function, iterations, middle);
    if (lost)
        fail_msg("%s: lost registers %#x", program->symbol, lost);
    munmap(frame, PROGRAM_FRAME_DISTANCE + bytes);
}

static struct program block(struct arena *arena, const char *text, enum program_form form) {
    struct program program, *list[] = {&program};
    struct fail failure = {0};
    if (!testing_block(arena, isa_find("x86_64"), NULL, "block", text, form, &program, &failure) ||
        !gen_assemble(arena, list, 1, &failure))
        fail_msg("%s", failure.text);
    return program;
}

static uint64_t word_at(size_t offset) {
    uint64_t word;
    memcpy(&word, middle + offset, sizeof word);
    return word;
}

static void the_body_runs_as_often_as_it_says(void **state) {
    (void)state;
    need_assembler();
    static const char *const texts[] = {"add qword ptr [rbx + 8], 1", "addq $1, 8(%r15)",
                                        "mov eax, 1; lock xadd [r14 + 8], rax",
                                        "push rax; inc qword ptr [rcx + 8]; pop rbx; mov rcx, rbx; mov rax, rbx",
                                        "dec dword ptr [rdi + 16]; jns 1f; inc qword ptr [rdx + 8]; 1: nop"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int form = PROGRAM_UNROLLED; form <= PROGRAM_LOOPED; form++) {
            struct arena arena = {0};
            struct program program = block(&arena, texts[i], (enum program_form)form);
            run(&program, 10);
            if (word_at(8) != 10 * (uint64_t)program.unroll)
                fail_msg("'%s', unroll %u: counted %lu", texts[i], program.unroll, (unsigned long)word_at(8));
            run(&program, 1);
            assert_int_equal(word_at(8), program.unroll);
            arena_free(&arena);
        }
}

static void every_saved_register_may_be_written(void **state) {
    (void)state;
    need_assembler();
    struct arena arena = {0};
    struct program program =
        block(&arena, "mov rbx, 1; mov rbp, 2; mov r12, 3; mov r13, 4; mov r14, 5; mov r15, 6", PROGRAM_LOOPED);
    assert_string_equal(program.loop_counter, "r11");
    run(&program, 10);
    arena_free(&arena);
}

static void the_word_in_the_middle_holds_its_own_address(void **state) {
    (void)state;
    need_assembler();
    struct arena arena = {0};
    struct program program = block(&arena, "mov rax, [rax]; mov rax, [rax]; mov [rdi + 8], rax", PROGRAM_UNROLLED);
    run(&program, 10);
    assert_int_equal(word_at(0), (uintptr_t)middle);
    assert_int_equal(word_at(8), (uintptr_t)middle);
    arena_free(&arena);
}

// Expands and assembles a kernel, and runs it once where this CPU can.
static struct program run_kernel(struct arena *arena, const char *keys) {
    struct program program, *list[] = {&program};
    struct fail failure = {0};
    struct gen_request request = {.mode = PROGRAM_BLOCK, .form = PROGRAM_LOOPED};
    if (!gen_expand(arena, testing_kernel_of(arena, keys), &request, &program, &failure) ||
        !gen_assemble(arena, list, 1, &failure))
        fail_msg("%s", failure.text);
    if (can_run(&program))
        run(&program, 1);
    return program;
}

static void initial_values_are_in_every_lane(void **state) {
    (void)state;
    need_assembler();
    static const struct {
        const char *keys;
        uint64_t word;
        size_t bytes;
    } cases[] = {
        {"body: movups [{p:r64} + 8], {a:xmm}\ninit: {p: memory, a: f32 1.5}", 0x3fc000003fc00000, 16},
        {"body: movups [{p:r64} + 8], {a:xmm}\ninit: {p: memory, a: f64 -2}", 0xc000000000000000, 16},
        {"body: movups [{p:r64} + 8], {a:xmm}\ninit: {p: memory, a: i8 -2}", 0xfefefefefefefefe, 16},
        {"body: movups [{p:r64} + 8], {a:xmm}\ninit: {p: memory, a: i16 3}", 0x0003000300030003, 16},
        {"body: movups [{p:r64} + 8], {a:xmm}\ninit: {p: memory}", 0, 16},
        {"body: vmovups [{p:r64} + 8], {a:ymm}\nrequires: avx\ninit: {p: memory, a: i32 7}", 0x0000000700000007, 32},
        {"body: vmovups [{p:r64} + 8], {a:zmm}\nrequires: avx512f\ninit: {p: memory, a: i64 -7}", 0xfffffffffffffff9,
         64},
        {"body: mov [{p:r64} + 8], {a:r64}\ninit: {p: memory, a: -3}", 0xfffffffffffffffd, 8},
        {"body: mov [{p:r64} + 8], {a:r32}\ninit: {p: memory, a: 0xffffffff}", 0xffffffff, 4},
        {"body: mov [{p:r64} + 8], {a:r8}\ninit: {p: memory, a: -1}", 0xff, 1},
        {"body: mov [{p:r64} + 8], {a:r64}\ninit: {p: memory}", 0, 8},
        {"body: kmovw [{p:r64} + 8], {a:k}\nrequires: avx512f\ninit: {p: memory, a: 5}", 5, 2},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct program program = run_kernel(&arena, cases[i].keys);
        for (size_t lane = 0; can_run(&program) && lane < cases[i].bytes; lane += 8)
            if (word_at(8 + lane) != cases[i].word)
                fail_msg("%s: lane at %zu is %#lx", cases[i].keys, lane, (unsigned long)word_at(8 + lane));
        arena_free(&arena);
    }
}

// Wherever the caller's is. A run checks that the caller's comes back.
static void a_stack_in_use_begins_at_a_line(void **state) {
    (void)state;
    need_assembler();
    static const char *const bodies[] = {
        "body: 'push {a:r64}; lea {b:r64}, [rsp + 8]; mov [{p:r64} + 8], {b}; pop {a}'",
        "body: 'enter 16, 0; mov [{p:r64} + 8], {b:rbp}; add qword ptr [{p} + 8], 8; leave'",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct arena arena = {0};
        run_kernel(&arena, arena_printf(&arena, "%s\ninit: {p: memory}", bodies[i]));
        if (word_at(8) == 0 || word_at(8) % PROGRAM_LINE_BYTES != 0)
            fail_msg("%s: the stack begins at %#lx", bodies[i], (unsigned long)word_at(8));
        arena_free(&arena);
    }
}

// The carry that the set-up sets is there in every copy: each adds one where it finds it.
static void flags_survive_the_loop(void **state) {
    (void)state;
    need_assembler();
    static const struct {
        const char *syntax, *body, *counter;
    } cases[] = {
        {"intel", "body: 'jnc 1f; lea {n:r64}, [{n} + 1]; 1: mov [{p:r64} + 8], {n}'", "rcx"},
        {"intel", "body: 'jnc 1f; lea {n:rcx}, [{n} + 1]; 1: mov [{p:r64} + 8], {n}'", "r15"},
        {"att", "body: 'jnc 1f; leaq 1({n:rbx}), {n}; 1: movq {n}, 8({p:r64})'", "rcx"},
        {"att", "body: 'jnc 1f; leaq 1({n:rcx}), {n}; 1: movq {n}, 8({p:r64})'", "r15"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int form = PROGRAM_UNROLLED; form <= PROGRAM_LOOPED; form++) {
            struct arena arena = {0};
            struct fail failure = {0};
            struct program program, *list[] = {&program};
            struct gen_request request = {.mode = PROGRAM_BLOCK, .form = (enum program_form)form};
            const char *yaml = arena_printf(&arena,
                                            "isa: x86_64\nsyntax: %s\nkernels: [{name: k, %s, "
                                            "implicit: flags, setup: stc, init: {p: memory}}]\n",
                                            cases[i].syntax, cases[i].body);
            if (!gen_expand(&arena, testing_kernel(&arena, yaml), &request, &program, &failure) ||
                !gen_assemble(&arena, list, 1, &failure))
                fail_msg("%s", failure.text);
            assert_true(program.preserves_flags);
            assert_string_equal(program.loop_counter, cases[i].counter);
            run(&program, 1);
            assert_int_equal(word_at(8), program.unroll);
            run(&program, 10);
            assert_int_equal(word_at(8), 10 * (uint64_t)program.unroll);
            arena_free(&arena);
        }
}

// All kernels of the folder that this CPU can run, in all forms of all modes.
// Calls a function three times, which adds what it finds in a register to a word and then changes that register.
static uint64_t sum_of_calls(const char *set, const char *init, const char *text, const char *reg) {
    static const unsigned char lengths[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const char *const changed[] = {reg, "rax"};
    struct arena arena = {0};
    struct start_state state = {0};
    struct program program, *list[] = {&program};
    struct fail failure = {0};
    const struct isa *isa = isa_find("x86_64");
    const struct block_facts facts = {.n_instructions = 1, .lengths = lengths, .changed = changed, .n_changed = 2};
    const struct block_source source = {.isa = isa, .name = "called", .text = text, .syntax = "intel"};
    const struct block_request request = {.form = PROGRAM_LOOPED,
                                          .is_routine = true,
                                          .facts = &facts,
                                          .start = {.first = TESTING_BLOCK_ADDRESS, .state = &state}};
    if (init) {
        state.init = "xmm0";
        state.init_bytes = (const uint8_t *)init;
        state.n_init_bytes = strlen(init);
    }
    if (!start_state_parse(&arena, isa, set, &state, &failure) ||
        !block_can_be_called(isa, &request.start, &facts, &failure) ||
        !gen_block(&arena, &source, &request, &program, &failure) || !gen_assemble(&arena, list, 1, &failure)) {
        fail_msg("%s: %s", set, failure.text);
        return 0;
    }
    run(&program, 3);
    arena_free(&arena);
    return word_at(8);
}

static void each_call_finds_what_the_user_gave(void **state) {
    (void)state;
    need_assembler();
    assert_int_equal(sum_of_calls("xmm0=5", NULL, "movq rax, xmm0; add [rbx + 8], rax; xorps xmm0, xmm0; ret", "xmm0"),
                     15);
    assert_int_equal(sum_of_calls("xmm0=0x00000000000000060000000000000005", NULL,
                                  "movhlps xmm0, xmm0; movq rax, xmm0; add [rbx + 8], rax; pxor xmm0, xmm0; ret",
                                  "xmm0"),
                     18);
    // no register of arguments
    assert_int_equal(sum_of_calls("xmm9=7", NULL, "movq rax, xmm9; add [rbx + 8], rax; xorps xmm9, xmm9; ret", "xmm9"),
                     21);
    assert_int_equal(sum_of_calls("rdx=9", NULL, "add [rbx + 8], rdx; xor edx, edx; ret", "rdx"), 27);
    // pcmpeqd xmm0, xmm0: what --init leaves
    assert_int_equal(
        sum_of_calls("xmm0=5", "\x66\x0f\x76\xc0", "movq rax, xmm0; add [rbx + 8], rax; xorps xmm0, xmm0; ret", "xmm0"),
        (uint64_t)-3);
}

// More of the words that a wide register fills, and masks.
static void wide_registers_are_whole_in_each_call(void **state) {
    (void)state;
    need_assembler();
    if (!__builtin_cpu_supports("avx512bw"))
        skip();
    static const char upper[] = "ymm0=0x0000000000000004000000000000000300000000000000020000000000000001";
    assert_int_equal(sum_of_calls(upper, NULL,
                                  "vextracti128 xmm1, ymm0, 1; vpextrq rax, xmm1, 1; add [rbx + 8], rax; "
                                  "vpxor xmm0, xmm0, xmm0; ret",
                                  "ymm0"),
                     12);
    assert_int_equal(sum_of_calls("zmm31=0x03", NULL,
                                  "vmovq rax, xmm31; add [rbx + 8], rax; vpxorq zmm31, zmm31, zmm31; ret", "zmm31"),
                     9);
    assert_int_equal(
        sum_of_calls("k1=0x123456789", NULL, "kmovq rax, k1; add [rbx + 8], rax; kxorq k1, k1, k1; ret", "k1"),
        3 * UINT64_C(0x123456789));
}

static void what_cannot_be_set_again_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *isa, *set, *changed;
        bool has_init, is_refused;
    } cases[] = {
        {"x86_64", "mxcsr=0x1f80", "MXCSR", false, true},
        {"x86_64", "mxcsr=0x1f80", "RAX", false, false},
        {"x86_64", "mm0=5", "MM0", false, true},
        {"x86_64", "rax=5", "RAX", true, false},
        {"aarch64", "v0=5", "V0", true, true},
        {"aarch64", "v0=5", "V0", false, false},
        {"aarch64", "x0=5", "X0", true, true},
        {"aarch64", "x0=5", "X0", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct start_state given = {.init_bytes = (const uint8_t *)"", .n_init_bytes = cases[i].has_init};
        struct fail failure = {0};
        const struct isa *isa = isa_find(cases[i].isa);
        const struct block_start start = {.state = &given};
        const struct block_facts facts = {.changed = &cases[i].changed, .n_changed = 1};
        assert_true(start_state_parse(&arena, isa, cases[i].set, &given, &failure));
        if (block_can_be_called(isa, &start, &facts, &failure) == cases[i].is_refused)
            fail_msg("%s %s: %s", cases[i].isa, cases[i].set, failure.text);
        assert_int_equal(failure.text[0] != '\0', cases[i].is_refused);
        arena_free(&arena);
    }
}

static void every_kernel_runs_to_its_end(void **state) {
    (void)state;
    need_assembler();
    struct arena arena = {0};
    struct kernel_set set = {0};
    struct fail failure = {0};
    if (!kernel_load_folder(&arena, CYCLOPS_KERNELS, "x86_64", &set, &failure))
        fail_msg("%s: %s", failure.file, failure.text);
    unsigned ran = 0;
    for (size_t i = 0; i < set.n_kernels; i++)
        for (unsigned which = 0; which < 4 * (set.kernels[i].n_arcs + 1); which++) {
            unsigned arc = which / 4;
            if (!arc && kernel_shared_chain(&set.kernels[i]))
                continue;
            struct gen_request request = {.mode = arc ? PROGRAM_LATENCY : PROGRAM_THROUGHPUT,
                                          .form = (enum program_form)(which % 2),
                                          .arc = arc ? arc - 1 : 0,
                                          .streams = which % 4 / 2}; // 0: all that fit
            struct program program, *list[] = {&program};
            if (!gen_expand(&arena, &set.kernels[i], &request, &program, &failure) ||
                !gen_assemble(&arena, list, 1, &failure))
                fail_msg("%s: %s", set.kernels[i].name, failure.text);
            if (!can_run(&program))
                continue;
            run(&program, 10);
            ran++;
        }
    assert_true(ran >= 4); // nop needs no feature
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_body_runs_as_often_as_it_says),
        cmocka_unit_test(every_saved_register_may_be_written),
        cmocka_unit_test(the_word_in_the_middle_holds_its_own_address),
        cmocka_unit_test(initial_values_are_in_every_lane),
        cmocka_unit_test(a_stack_in_use_begins_at_a_line),
        cmocka_unit_test(flags_survive_the_loop),
        cmocka_unit_test(each_call_finds_what_the_user_gave),
        cmocka_unit_test(wide_registers_are_whole_in_each_call),
        cmocka_unit_test(what_cannot_be_set_again_is_refused),
        cmocka_unit_test(every_kernel_runs_to_its_end),
    };
    return cmocka_run_group_tests(tests, map_memory, NULL);
}

#else

int main(void) {
    return 77; // qemu_test.c runs AArch64's programs
}

#endif
