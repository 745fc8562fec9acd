// One run of code of unknown origin: how it ended, what it touched, what it left.
#include "bench/sandbox/trial.h"

#include "bench/sandbox/testing.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ADDRESS = 0x2324000, FILL = 0x2438200 };

static const struct bench_foreign rules = {
    .most_pages = 4, .frames = 2, .fill = FILL, .lowest_address = 0x10000, .stores = true};

static void run_with(struct arena *arena, struct foreign_body body, struct bench_foreign foreign, struct trial *trial) {
    struct fail fail = {0};
    if (!foreign_code_exists())
        skip();
    body.rax = body.rax ? body.rax : ADDRESS;
    struct bench_code code = foreign_code(arena, body, foreign);
    if (!trial_run(arena, &code, 2, trial, &fail))
        fail_msg("%s", fail.text);
}

static void run(struct arena *arena, const char *hex, struct trial *trial) {
    run_with(arena, (struct foreign_body){.hex = hex}, rules, trial);
}

static uint64_t word_at(const struct trial *trial, size_t offset) {
    uint64_t word;
    memcpy(&word, trial->memory + offset, sizeof word);
    return word;
}

static void what_it_leaves(void **state) {
    (void)state;
    struct arena arena = {0};
    struct trial trial;
    // mov rcx, [rax + 4096]; mov [rax + 16], ecx; lea rax, [rcx + 1]
    run(&arena, "488b8800100000894810488d4101", &trial);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(trial.outcome, BENCH_OK);
    assert_int_equal(trial.seen.pages, 2);
    assert_true(trial.addresses[0] == ADDRESS + 4096 && trial.addresses[1] == ADDRESS);
    assert_true(trial.frame[FOREIGN_RAX] == FILL + 1);
    assert_int_equal(trial.n_memory_bytes, 2 * page);
    assert_true(word_at(&trial, 0) == FILL && word_at(&trial, 16) == FILL);
    assert_int_not_equal(trial.code_address, 0);
    arena_free(&arena);
}

static void pages_of_its_own(void **state) {
    (void)state;
    struct arena arena = {0};
    struct trial trial;
    struct bench_foreign foreign = rules;
    foreign.is_own = true;
    // mov ecx, 5; mov [rax + 8192], ecx; mov rcx, [rax]; mov [rax + 4100], ecx
    run_with(&arena, (struct foreign_body){.hex = "b905000000898800200000488b08898804100000"}, foreign, &trial);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(trial.outcome, BENCH_OK);
    assert_int_equal(trial.seen.pages, 3);
    assert_int_equal(trial.seen.memory, MEMORY_OWN);
    assert_int_equal(trial.n_memory_bytes, 3 * page);
    assert_true(trial.addresses[0] == ADDRESS + 8192 && trial.addresses[1] == ADDRESS);
    assert_true((uint32_t)word_at(&trial, 0) == 5 && word_at(&trial, page) == FILL);
    assert_true((uint32_t)word_at(&trial, 2 * page + 4) == (uint32_t)FILL);
    arena_free(&arena);
}

// Nothing of one trial is in the next.
static void each_starts_the_same(void **state) {
    (void)state;
    struct arena arena = {0};
    for (int i = 0; i < 3; i++) {
        struct trial trial;
        run(&arena, "488b10ff00488d02", &trial); // mov rdx, [rax]; inc dword ptr [rax]; lea rax, [rdx]
        assert_int_equal(trial.outcome, BENCH_OK);
        assert_true(trial.frame[FOREIGN_RAX] == FILL);
        assert_true(word_at(&trial, 0) == FILL + 1);
        assert_int_equal(trial.seen.pages, 1);
    }
    arena_free(&arena);
}

static void a_fault_has_its_place(void **state) {
    (void)state;
    struct arena arena = {0};
    struct trial trial;
    run(&arena, "488b08890c25c0000000", &trial); // mov rcx, [rax]; mov [0xc0], ecx
    assert_int_equal(trial.outcome, BENCH_SIGSEGV);
    assert_true(trial.seen.fault.is_known && trial.seen.fault.has_address && trial.seen.fault.is_write);
    assert_true(trial.seen.fault.address == 0xc0);
    assert_int_equal(trial.seen.fault.offset, 64 + 7 + 3); // behind the start's two instructions and the first
    assert_true(trial.seen.fault.registers[0] == ADDRESS && trial.seen.fault.registers[1] == FILL);
    assert_int_equal(trial.seen.pages, 1);
    arena_free(&arena);
}

static void ends_have_names(void **state) {
    (void)state;
    static const struct {
        const char *hex;
        enum bench_outcome outcome;
    } cases[] = {
        {"0f0b", BENCH_SIGILL},                  // ud2
        {"31d2f7f1", BENCH_SIGFPE},              // xor edx, edx; div ecx
        {"cc", BENCH_SIGTRAP},                   // int3
        {"f4", BENCH_PRIVILEGED},                // hlt
        {"0f284001", BENCH_PROTECTION},          // movaps xmm0, [rax + 1]
        {"8900480500100000ebf6", BENCH_PAGES},   // 0: mov [rax], eax; add rax, 4096; jmp 0
        {"31c0ffe0", BENCH_JUMP},                // xor eax, eax; jmp rax
        {"488d05f9ffffffc60000", BENCH_SIGSEGV}, // lea rax, [rip - 7]; mov byte ptr [rax], 0
        {"31c0488b00", BENCH_SIGSEGV},           // xor eax, eax; mov rax, [rax]
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial trial;
        run(&arena, cases[i].hex, &trial);
        if (trial.outcome != cases[i].outcome)
            fail_msg("%s: %s, wanted %s", cases[i].hex, bench_outcome_name(trial.outcome),
                     bench_outcome_name(cases[i].outcome));
    }
    arena_free(&arena);
}

static void endless_code_is_ended(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct trial trial;
    if (!foreign_code_exists())
        skip();
    struct bench_code code = foreign_code(&arena, (struct foreign_body){.hex = "ebfe"}, rules);
    assert_true(trial_run(&arena, &code, 0.05, &trial, &fail));
    assert_int_equal(trial.outcome, BENCH_TIMEOUT);
    arena_free(&arena);
}

static void so_many_pages_as_allowed(void **state) {
    (void)state;
    struct arena arena = {0};
    struct trial trial;
    struct bench_foreign foreign = rules;
    // mov [rax], eax; mov [rax + 4096], eax
    for (foreign.most_pages = 0; foreign.most_pages <= 2; foreign.most_pages++) {
        static const enum bench_outcome outcomes[] = {BENCH_SIGSEGV, BENCH_PAGES, BENCH_OK};
        run_with(&arena, (struct foreign_body){.hex = "8900898000100000"}, foreign, &trial);
        assert_int_equal(trial.outcome, outcomes[foreign.most_pages]);
        assert_int_equal(trial.seen.pages, foreign.most_pages);
    }
    arena_free(&arena);
}

// This process sees a kernel without filters from now on, as its children do.
static bool lose_filters(void) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

// Exit status of the process that looks: how many were not called killed.
static int count_unnamed(struct arena *arena) {
    int n = 0;
    for (unsigned char status = 0; status < 4; status++) {
        // mov edi, status; mov eax, 231 (exit_group); syscall
        const char *hex = arena_printf(arena, "bf%02x000000b8e70000000f05", status);
        struct bench_code code = foreign_code(arena, (struct foreign_body){.hex = hex, .rax = ADDRESS}, rules);
        struct trial trial;
        struct fail fail = {0};
        n += !trial_run(arena, &code, 2, &trial, &fail) || trial.outcome != BENCH_KILLED;
    }
    return n;
}

// Where no filter stops it, code that exits has not come to its end, whatever its status.
static void an_exit_is_no_end(void **state) {
    (void)state;
    enum { NO_FILTERS = 99 };
    if (!foreign_code_exists())
        skip();
    pid_t pid = fork();
    if (pid == 0) {
        struct arena arena = {0};
        _exit(lose_filters() ? count_unnamed(&arena) : NO_FILTERS);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_FILTERS)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_leaves),           cmocka_unit_test(pages_of_its_own),
        cmocka_unit_test(each_starts_the_same),     cmocka_unit_test(a_fault_has_its_place),
        cmocka_unit_test(ends_have_names),          cmocka_unit_test(endless_code_is_ended),
        cmocka_unit_test(so_many_pages_as_allowed), cmocka_unit_test(an_exit_is_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
