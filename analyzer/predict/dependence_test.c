// Programs that are, and are not, what they claim; described by LLVM.
#include "analyzer/model/backend.h"
#include "analyzer/predict/dependence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    int line;
    const char *text;
    unsigned n_streams, per_stream;
    bool is_carried;
    const char *crossing;
    unsigned per_other;
    const char *carried_flags;
} rows[] = {
    {__LINE__, "add rax, rcx", 1, 1, true, NULL, 0, NULL},
    {__LINE__, "add rax, rcx\nadd rdx, rcx", 2, 1, true, NULL, 0, NULL},
    {__LINE__, "mov rax, [rcx]\nmov rdx, [rcx]", 2, 1, false, NULL, 0, NULL},
    // Every stream writes the same register, which a kernel file should have declared.
    {__LINE__, "add rax, rcx\nadd rax, rcx", 2, 1, true, "RAX", 0, NULL},
    {__LINE__, "add eax, ecx\nadd ax, cx", 2, 1, true, "AX", 0, NULL},
    // Implicit operands.
    {__LINE__, "mul rcx\nmul rsi", 2, 1, true, "RAX", 0, NULL},
    {__LINE__, "adc rax, rcx\nadc rdx, rcx", 2, 1, true, "EFLAGS", 0, "EFLAGS"},
    // Nobody waits for a zero idiom, nor for a nop in disguise.
    {__LINE__, "xor eax, eax", 1, 1, false, NULL, 0, NULL},
    {__LINE__, "vxorps ymm0, ymm1, ymm1\nvaddps ymm0, ymm0, ymm2", 1, 2, false, NULL, 0, NULL},
    {__LINE__, "xchg rax, rax", 1, 1, false, NULL, 0, NULL},
    // The loop's own instructions do not count.
    {__LINE__, "mov rax, [rcx]\nsub r15, 1", 1, 1, false, NULL, 0, NULL},
    // A stream of two instructions may wait for itself.
    {__LINE__, "imul rax, rcx\nadd rax, rcx\nimul rdx, rcx\nadd rdx, rcx", 2, 2, true, NULL, 0, NULL},
    // Streams of two kinds, taking turns.
    {__LINE__, "imul rax, rcx\nadd rax, rcx\nmov rsi, [rdi]\nimul rdx, rcx\nadd rdx, rcx\nmov r8, [rdi]", 2, 2, true,
     NULL, 1, NULL},
    {__LINE__, "imul rax, rcx\nadd rax, rcx\nmov rcx, [rdi]\nimul rdx, rcx\nadd rdx, rcx\nmov r8, [rdi]", 2, 2, true,
     "RCX", 1, NULL},
    {__LINE__, "add rax, rcx\nadc rdx, rcx", 1, 1, true, "EFLAGS", 1, NULL},
    // Flags of the copy before, of this one, and of nobody.
    {__LINE__, "adc rax, rcx", 1, 1, true, NULL, 0, "EFLAGS"},
    {__LINE__, "cmp rax, rcx\nsbb rax, rcx", 1, 2, true, NULL, 0, NULL},
    {__LINE__, "cmovz rax, rcx", 1, 1, true, NULL, 0, NULL},

};

static void programs_are_seen_through(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    const struct backend *backend = backend_load(&arena, NULL, &fail);
    assert_non_null(backend);
    struct backend_options options = {.triple = "x86_64-unknown-linux-gnu", .cpu = "skylake", .output_syntax = -1};
    struct backend_cpu *cpu = backend->open(&arena, &options, &fail);
    assert_non_null(cpu);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct backend_source source;
        const char *text = arena_printf(&arena, ".intel_syntax noprefix\n%s\n", rows[i].text);
        if (!backend->describe_text(cpu, &arena, "test", text, &source, &fail))
            fail_msg("row of line %d: %s", rows[i].line, fail.text);
        struct dependence found = dependence_find(backend->machine(cpu), &source.blocks[0], rows[i].n_streams,
                                                  rows[i].per_stream, rows[i].per_other);
        const char *crossing = found.crossing ? found.crossing : "none";
        const char *flags = found.carried_flags ? found.carried_flags : "none";
        if (found.is_carried != rows[i].is_carried ||
            strcmp(crossing, rows[i].crossing ? rows[i].crossing : "none") != 0 ||
            strcmp(flags, rows[i].carried_flags ? rows[i].carried_flags : "none") != 0)
            fail_msg("row of line %d: carried %d, crossing %s, flags %s", rows[i].line, found.is_carried, crossing,
                     flags);
    }
    backend->close(cpu);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_are_seen_through)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
