// Faults in words: the instruction, what it touched, and where the address came from.
#include "blocks/fault_text.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { START = 64 }; // of the body in the code

// A fault of a block at the start of an instruction.
struct fault_case {
    const char *hex;
    unsigned copies; // in the program; 0: it runs once
    size_t offset;   // of the instruction, from the body's start
    enum bench_outcome outcome;
    struct bench_fault fault;
    const char *explanation;
};

static struct program program_of(const struct fault_case *c, size_t n_bytes) {
    return (struct program){.form = PROGRAM_UNROLLED,
                            .unroll = c->copies ? c->copies : 1,
                            .runs_once = c->copies == 0,
                            .body_range = {START, n_bytes}};
}

static bool explain(struct arena *arena, const char *isa_name, const struct fault_case *c, const struct program *wanted,
                    struct record_fault *fault) {
    struct decoder decoder;
    struct fail fail = {0};
    const struct isa *isa = isa_find(isa_name);
    if (!decoder_open(&decoder, arena, isa, NULL, &fail))
        skip(); // no LLVM, or one without this target
    size_t n = strlen(c->hex) / 2;
    uint8_t *bytes = arena_alloc(arena, n);
    assert_true(bytes_from_hex(c->hex, n, bytes));
    struct lab_block block = {.source = {.isa = isa}, .n_bytes = n, .bytes = bytes};
    block.is_decoded = decoder_decode(&decoder, arena, bytes, n, &block.insns, &fail);
    assert_true(block.is_decoded);
    struct program program = wanted ? *wanted : program_of(c, n);
    struct bench_seen seen = {.fault = c->fault};
    seen.fault.is_known = true;
    seen.fault.offset = START + c->offset;
    bool is_known = fault_explain(arena, &decoder, &block, &program, c->outcome, &seen, fault);
    decoder_close(&decoder);
    return is_known;
}

static void check(const char *isa, const struct fault_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct arena arena = {0};
        struct record_fault fault = {0};
        bool is_known = explain(&arena, isa, &cases[i], NULL, &fault);
        if (!is_known || strcmp(fault.explanation, cases[i].explanation) != 0)
            fail_msg("%s\nis:     %s\nwanted: %s", cases[i].hex, is_known ? fault.explanation : "nothing",
                     cases[i].explanation);
        arena_free(&arena);
    }
}
#define CHECK(cases) CHECK_OF("x86_64", cases)
#define CHECK_OF(isa, cases) check(isa, cases, sizeof(cases) / sizeof *(cases))

// mov rax, [rdi]; xor eax, eax; mov rbx, [rax]
#define CHASE "488b0731c0488b18"

static void an_address_has_an_origin(void **state) {
    (void)state;
#define NULL_READ                                                                                                      \
    { .has_address = true }
    static const struct fault_case cases[] = {
        {CHASE, 0, 5, BENCH_SIGSEGV, NULL_READ,
         "instruction 3 `mov rbx, qword ptr [rax]` of copy 1 read 0x0; rax comes from instruction 2"},
        {CHASE, 10, 8 + 5, BENCH_SIGSEGV, NULL_READ,
         "instruction 3 `mov rbx, qword ptr [rax]` of copy 2 read 0x0; rax comes from instruction 2"},
        {CHASE,
         0,
         0,
         BENCH_SIGSEGV,
         {.has_address = true, .address = 0x1234},
         "instruction 1 `mov rax, qword ptr [rdi]` of copy 1 read 0x1234; rdi has the value it started with"},
        // mov [rax + 2*rcx], ebx; lea rcx, [rcx + rcx]
        {"891c48488d0c09",
         3,
         0,
         BENCH_SIGSEGV,
         {.has_address = true, .is_write = true, .address = 16},
         "instruction 1 `mov dword ptr [rax + 2*rcx], ebx` of copy 1 wrote to 0x10; rax has the value it started with; "
         "rcx has the value it started with"},
        {"891c48488d0c09",
         3,
         7,
         BENCH_SIGSEGV,
         {.has_address = true, .is_write = true, .address = 16},
         "instruction 1 `mov dword ptr [rax + 2*rcx], ebx` of copy 2 wrote to 0x10; rax has the value it started with; "
         "rcx comes from instruction 2 of the copy before"},
        // mov al, 1; mov rbx, [rax]: a part of it is enough
        {"b001488b18", 0, 2, BENCH_SIGSEGV, NULL_READ,
         "instruction 2 `mov rbx, qword ptr [rax]` of copy 1 read 0x0; rax comes from instruction 1"},
        // mov rax, gs:[8]
        {"65488b042508000000",
         0,
         0,
         BENCH_SIGSEGV,
         {.has_address = true, .address = 8},
         "instruction 1 `mov rax, qword ptr gs:[8]` of copy 1 read 0x8; gs begins at 0 here, where no memory can be: "
         "let a "
         "register have the address, as gs:[rdi]"},
        // mov rax, [rip + 8]: nothing more is to be said of where it is
        {"488b0508000000",
         0,
         0,
         BENCH_SIGSEGV,
         {.has_address = true, .address = 0x77},
         "instruction 1 `mov rax, qword ptr [rip + 8]` of copy 1 read 0x77"},
    };
    CHECK(cases);
}

static void a_loop_that_walks_is_named(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        // 0: mov [rax], rax; add rax, 4096; jmp 0
        {"4889004805001000"
         "00ebf5",
         0,
         0,
         BENCH_PAGES,
         {.has_address = true, .is_write = true, .address = 0x5000},
         "instruction 1 `mov qword ptr [rax], rax` of copy 1 touched one page more than may appear (--pages), at "
         "0x5000; rax has the value it started with, or comes from instruction 2; the loop of instructions 1 to 3 "
         "walked "
         "there"},
        // xor eax, eax; 2: add rax, [rdi + 8 * rsi]; dec rsi; jnz 2b
        {"31c0480304f748ffce75f7",
         0,
         2,
         BENCH_PAGES,
         {.has_address = true, .address = 0x5000},
         "instruction 2 `add rax, qword ptr [rdi + 8*rsi]` of copy 1 touched one page more than may appear (--pages), "
         "at "
         "0x5000; rdi has the value it started with; rsi has the value it started with, or comes from instruction 3; "
         "the "
         "loop of instructions 2 to 4 walked there; --set rsi=N decides how often it turns"},
        // mov esi, edx, and the same loop: what it counts by is set inside
        {"89d6480304f748ffce75f7",
         0,
         2,
         BENCH_PAGES,
         {.has_address = true, .address = 0x5000},
         "instruction 2 `add rax, qword ptr [rdi + 8*rsi]` of copy 1 touched one page more than may appear (--pages), "
         "at "
         "0x5000; rdi has the value it started with; rsi comes from instruction 1; the loop of instructions 2 to 4 "
         "walked "
         "there; rsi decides how often it turns: give what that comes from by --set"},
    };
    CHECK(cases);
}

// The CPU does not say which way it went; the instruction does.
static void a_store_writes_though_the_cpu_does_not_say_so(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        {"200000f9",
         0,
         0,
         BENCH_SIGSEGV,
         {.has_address = true, .address = 0x20},
         "instruction 1 `str x0, [x1]` of copy 1 wrote to 0x20"},
        {"200040f9",
         0,
         0,
         BENCH_SIGSEGV,
         {.has_address = true, .address = 0x20},
         "instruction 1 `ldr x0, [x1]` of copy 1 read 0x20"},
    };
    CHECK_OF("aarch64", cases);
    static const struct fault_case both[] = {
        // add [rdi], rax: it loads first, and this CPU says which way it went
        {"480107",
         0,
         0,
         BENCH_SIGSEGV,
         {.has_address = true, .address = 0x20},
         "instruction 1 `add qword ptr [rdi], rax` of copy 1 read 0x20; rdi has the value it started with"},
    };
    CHECK(both);
}

// The CPU gives no address of a general protection fault; the registers do.
static void what_is_no_address_is_computed(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        // mov rax, [rbx + 4*rcx - 8]
        {"488b448bf8",
         0,
         0,
         BENCH_PROTECTION,
         {.registers = {[1] = 2, [3] = 0x8000000000000000}},
         "instruction 1 `mov rax, qword ptr [rbx + 4*rcx - 8]` of copy 1 computed 0x8000000000000000, which is not an "
         "address; rbx has the value it started with; rcx has the value it started with"},
        // movaps xmm0, [rdi + 1]
        {"0f284701",
         0,
         0,
         BENCH_PROTECTION,
         {.registers = {[7] = 0x1000}},
         "instruction 1 `movaps xmm0, xmmword ptr [rdi + 1]` of copy 1 needs another alignment than that of 0x1001; "
         "rdi has the value it started with"},
        // ldmxcsr [rdi]
        {"0fae17",
         0,
         0,
         BENCH_PROTECTION,
         {.registers = {[7] = 0x1000}},
         "instruction 1 `ldmxcsr dword ptr [rdi]` of copy 1 does not accept what lies at 0x1000; rdi has the value it "
         "started with"},
        // push rax
        {"50",
         0,
         0,
         BENCH_PROTECTION,
         {.registers = {[4] = 0x123456789abcdef0}},
         "instruction 1 `push rax` of copy 1 computed 0x123456789abcdef0, which is not an address"},
        // mov rax, fs:[rdi]: where fs lies is not known
        {"64488b07",
         0,
         0,
         BENCH_PROTECTION,
         {.registers = {[7] = 0x8000000000000000}},
         "instruction 1 `mov rax, qword ptr fs:[rdi]` of copy 1; rdi has the value it started with"},
    };
    CHECK(cases);
}

static void no_memory_no_address(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        {"0f0b", 0, 0, BENCH_SIGILL, {0}, "instruction 1 `ud2` of copy 1"},
        {"4801d8f7f1", 5, 8, BENCH_SIGFPE, {0}, "instruction 2 `div ecx` of copy 2"},
        {"f4", 0, 0, BENCH_PRIVILEGED, {0}, "instruction 1 `hlt` of copy 1"},
        {"ffe0",
         0,
         0,
         BENCH_JUMP,
         {.has_address = true, .address = 0x1000},
         "instruction 1 `jmp rax` went to 0x1000; rax has the value it started with; where it jumps by a table, give "
         "the "
         "whole function"},
    };
    CHECK(cases);
}

static void looped_code_has_run_for_a_while(void **state) {
    (void)state;
    struct arena arena = {0};
    struct record_fault fault;
    const struct fault_case c = {CHASE, 1, 0, BENCH_SIGSEGV, {.has_address = true, .address = 16}, NULL};
    const struct program program = {.form = PROGRAM_LOOPED, .unroll = 1, .body_range = {START, 8}};
    assert_true(explain(&arena, "x86_64", &c, &program, &fault));
    assert_string_equal(fault.explanation, "instruction 1 `mov rax, qword ptr [rdi]`, in a later iteration, read 0x10; "
                                           "rdi has the value it started with");
    assert_string_equal(fault.text, "mov rax, qword ptr [rdi]");
    assert_string_equal(fault.access, "read");
    assert_string_equal(fault.address, "0x10");
    assert_int_equal(fault.instruction, 1);
    arena_free(&arena);
}

// In the loop's own instructions, or anywhere else.
static void outside_the_copies_nothing_is_known(void **state) {
    (void)state;
    struct arena arena = {0};
    struct record_fault fault;
    struct fault_case c = {CHASE, 2, 16, BENCH_SIGSEGV, {.has_address = true}, NULL};
    assert_false(explain(&arena, "x86_64", &c, NULL, &fault));
    c.offset = (size_t)-1;
    assert_false(explain(&arena, "x86_64", &c, NULL, &fault));
    c.offset = 15; // in the middle of the last one
    assert_true(explain(&arena, "x86_64", &c, NULL, &fault));
    assert_int_equal(fault.instruction, 3);
    assert_int_equal(fault.copy, 2);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_has_an_origin),
        cmocka_unit_test(a_loop_that_walks_is_named),
        cmocka_unit_test(a_store_writes_though_the_cpu_does_not_say_so),
        cmocka_unit_test(what_is_no_address_is_computed),
        cmocka_unit_test(no_memory_no_address),
        cmocka_unit_test(looped_code_has_run_for_a_while),
        cmocka_unit_test(outside_the_copies_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
