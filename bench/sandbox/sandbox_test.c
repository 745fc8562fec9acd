// What the sandbox does where the kernel takes no filter. Other kernels are played by a filter of this one, which
// answers the call that installs filters in their place. And that nothing outlives the child.
#include "bench/sandbox/sandbox.h"
#include "bench/sandbox/syscall_filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

// What seccomp(2) answers: 0 is this kernel's own word.
struct kernel {
    int with_program, without_program; // with a filter as its argument; with none (a null pointer)
};

// Both halves of the pointer are looked at, 32 bits at a time.
static bool play(const struct kernel *kernel) {
    enum { LOW = offsetof(struct seccomp_data, args[2]), HIGH = LOW + 4, NUMBER = offsetof(struct seccomp_data, nr) };
    const uint32_t allow = SECCOMP_RET_ALLOW;
    uint32_t with = kernel->with_program ? SECCOMP_RET_ERRNO | (uint32_t)kernel->with_program : allow;
    uint32_t without = kernel->without_program ? SECCOMP_RET_ERRNO | (uint32_t)kernel->without_program : allow;
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, allow),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, HIGH),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, without),
        BPF_STMT(BPF_RET | BPF_K, with),
    };
    struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

enum { NOT_PLAYED = 100, SEALED = 101 };

// SEALED, or errno.
static int seal_on(struct sandbox *sandbox, void *context) {
    static const uint8_t no_code[] = {0};
    if (!play(context))
        return NOT_PLAYED;
    struct code_room room = {.region = {no_code, sizeof no_code}, .memory.file = -1};
    return sandbox_seal(sandbox, &room) ? SEALED : errno;
}

// What a body that seals on that kernel returns.
static int result_on(sandbox_body body, struct kernel kernel) {
    struct fault_note note = {0};
    struct fail fail = {0};
    enum bench_outcome outcome;
    int status;
    struct sandbox_job job = {.body = body, .context = &kernel, .note = &note, .timeout_seconds = 10};
    assert_true(sandbox_run(&job, &outcome, &status, &fail));
    assert_int_equal(outcome, BENCH_OK);
    assert_int_not_equal(status, NOT_PLAYED);
    return status;
}

static int seal_result(struct kernel kernel) {
    return result_on(seal_on, kernel);
}

static void a_kernel_without_filters_does_without(void **state) {
    (void)state;
    assert_int_equal(seal_result((struct kernel){ENOSYS, ENOSYS}), SEALED);
    assert_int_equal(seal_result((struct kernel){EINVAL, EINVAL}), SEALED);
}

// A kernel that has filters, and does not take ours: nothing may run.
static void a_refused_filter_is_a_failure(void **state) {
    (void)state;
    if (!syscall_filter_exists())
        skip(); // there is nobody to play the others
    assert_int_equal(seal_result((struct kernel){EINVAL, 0}), EINVAL);
    assert_int_equal(seal_result((struct kernel){EPERM, EPERM}), EPERM);
    assert_int_equal(seal_result((struct kernel){ENOMEM, 0}), ENOMEM);
    assert_int_equal(seal_result((struct kernel){EPERM, 0}), EPERM);
}

enum { NO_FILE = 102 };

// The errno of a write to a new file.
static int grow_a_file(struct sandbox *sandbox, void *context) {
    int sealed = seal_on(sandbox, context);
    signal(SIGXFSZ, SIG_IGN);
    int file = memfd_create("cyclops-test", 0);
    if (sealed != SEALED || file < 0)
        return sealed != SEALED ? sealed : NO_FILE;
    return write(file, "x", 1) == 1 ? 0 : errno;
}

// Where no filter keeps code from writing, the limit on files does.
static void no_file_grows_from_inside(void **state) {
    (void)state;
    int result = result_on(grow_a_file, (struct kernel){ENOSYS, ENOSYS});
    if (result == NO_FILE)
        skip();
    assert_int_equal(result, EFBIG);
}

// Leaves a process behind that holds its end of a pipe, and ends itself.
static int leave_a_process(struct sandbox *sandbox, void *context) {
    (void)sandbox;
    const int *ends = context;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(20); // where nobody ends it
        for (;;)
            pause();
    }
    close(ends[1]);
    return pid > 0;
}

static void what_the_child_started_ends_with_it(void **state) {
    (void)state;
    enum { MOST_MS = 10000 };
    int ends[2], status;
    struct fail fail = {0};
    enum bench_outcome outcome;
    assert_int_equal(pipe(ends), 0);
    struct sandbox_job job = {.body = leave_a_process, .context = ends, .timeout_seconds = 10};
    assert_true(sandbox_run(&job, &outcome, &status, &fail));
    close(ends[1]);
    assert_int_equal(outcome, BENCH_OK);
    assert_int_equal(status, 1);
    struct pollfd reader = {.fd = ends[0], .events = POLLIN}; // it hangs up once nobody holds the other end
    assert_int_equal(poll(&reader, 1, MOST_MS), 1);
    assert_true(reader.revents & POLLHUP);
    close(ends[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_without_filters_does_without),
        cmocka_unit_test(a_refused_filter_is_a_failure),
        cmocka_unit_test(no_file_grows_from_inside),
        cmocka_unit_test(what_the_child_started_ends_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
