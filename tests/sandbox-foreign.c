// The sandbox on an ISA that this machine only emulates: one block of machine code for each outcome, run as the native
// target runs it. Needs nothing but libc, so that a cross compiler builds it; qemu-user has no system call filters.
#include "bench/sandbox/sandbox.h"
#include "bench/sandbox/syscall_filter.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct block {
    const char *text;
    enum bench_outcome outcome;
    uint32_t words[4];
    enum bench_outcome unfiltered; // where there is no filter; BENCH_OK: the same
};

#if defined(__aarch64__)
static const struct block blocks[] = {
    {"ret", BENCH_OK, {0xd65f03c0}, BENCH_OK},
    {"udf #0", BENCH_SIGILL, {0x00000000}, BENCH_OK},
    {"brk #0", BENCH_SIGTRAP, {0xd4200000}, BENCH_OK},
    {"mov x8, #94 (exit_group); svc #0", BENCH_SYSCALL, {0xd2800bc8, 0xd4000001}, BENCH_KILLED},
    {"mov x0, #0; str x0, [x0]", BENCH_SIGSEGV, {0xd2800000, 0xf9000000}, BENCH_OK},
    {"mov x0, #4096; br x0", BENCH_JUMP, {0xd2820000, 0xd61f0000}, BENCH_OK},
    {"b .", BENCH_TIMEOUT, {0x14000000}, BENCH_OK},
    {"str x0, [sp, #-16]!; b .-4", BENCH_STACK, {0xf81f0fe0, 0x17ffffff}, BENCH_OK},
    {"msr daifset, #15", BENCH_SIGILL, {0xd5034fdf}, BENCH_OK},
    {"hlt #0", BENCH_SIGILL, {0xd4400000}, BENCH_OK},
    {"mov x1, #0; sdiv x0, x0, x1; ret", BENCH_OK, {0xd2800001, 0x9ac10c00, 0xd65f03c0}, BENCH_OK},
};
#elif defined(__x86_64__) // bench/targets/native_test.c has all of them
static const struct block blocks[] = {
    {"ret", BENCH_OK, {0xc3}, BENCH_OK},
    {"ud2", BENCH_SIGILL, {0x0b0f}, BENCH_OK},
    {"mov eax, 231 (exit_group); syscall", BENCH_SYSCALL, {0x0000e7b8, 0x00050f00}, BENCH_KILLED},
};
#else
#error "blocks for this ISA"
#endif

enum { PAGE = 4096, DONE = 7 };

// With DONE, so that code which exits by itself is not taken for code that came back.
static int run_block(struct sandbox *sandbox, void *context) {
    const struct block *block = context;
    void *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return 1;
    memcpy(code, block->words, sizeof block->words);
    __builtin___clear_cache((char *)code, (char *)code + sizeof block->words);
    struct code_room room = {.region = {code, PAGE}, .memory.file = -1};
    if (mprotect(code, PAGE, PROT_READ | PROT_EXEC) != 0 || !sandbox_seal(sandbox, &room))
        return 1;
    void (*function)(void);
    memcpy(&function, &code, sizeof function);
    function();
    return DONE;
}

int main(void) {
    struct fault_note *note = mmap(NULL, sizeof *note, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool has_filter = syscall_filter_exists();
    int n_failed = 0;
    printf("system call filter: %s\n", has_filter ? "yes" : "no");
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct block block = blocks[i];
        struct fail fail = {0};
        enum bench_outcome outcome = BENCH_KILLED;
        int status = 0;
        note->outcome = BENCH_OK;
        struct sandbox_job job = {.body = run_block, .context = &block, .note = note, .timeout_seconds = 0.5};
        if (!sandbox_run(&job, &outcome, &status, &fail)) {
            fprintf(stderr, "%s\n", fail.text);
            return 1;
        }
        if (outcome == BENCH_OK && status != DONE)
            outcome = BENCH_KILLED;
        enum bench_outcome wanted = !has_filter && block.unfiltered != BENCH_OK ? block.unfiltered : block.outcome;
        printf("%-34s %s%s\n", block.text, bench_outcome_name(outcome), outcome == wanted ? "" : "  WRONG");
        n_failed += outcome != wanted;
    }
    return n_failed > 0;
}
