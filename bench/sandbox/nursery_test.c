// Children of the nursery are ours: memory is shared with them, and they can be waited for.
#include "bench/sandbox/nursery.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { LARGE = 100 << 20 }; // more than the nursery's own memory

struct order {
    volatile unsigned *place;
    unsigned number;
};

static void write_number(void *argument) {
    const struct order *order = argument;
    *order->place = order->number;
    _exit(order->number & 0x7f);
}

static void report_signals(void *argument) {
    volatile unsigned **place = argument;
    sigset_t blocked;
    struct sigaction action;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    sigaction(SIGINT, NULL, &action);
    **place = 1U + (sigismember(&blocked, SIGINT) == 1) + (action.sa_handler == SIG_DFL);
    _exit(0);
}

static void come_back(void *argument) {
    (void)argument;
}

static void on_signal(int number) {
    (void)number;
}

// The exit status.
static int wait_for(pid_t pid) {
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void open_or_skip(void) {
    int pidfd = -1;
    nursery_open();
    pid_t pid = nursery_start(come_back, "", 0, &pidfd);
    if (pid < 0) {
        nursery_close();
        skip(); // a kernel without clone3: children are forked the plain way
    }
    close(pidfd);
    assert_int_equal(wait_for(pid), 255);
}

static void children_share_memory_and_are_ours(void **state) {
    (void)state;
    open_or_skip();
    for (unsigned i = 1; i <= 3; i++) {
        int pidfd = -1;
        struct order order = {nursery_alloc(sizeof *order.place), 40 + i};
        assert_non_null(order.place);
        *order.place = 0;
        pid_t pid = nursery_start(write_number, &order, sizeof order, &pidfd);
        assert_true(pid > 0 && pidfd >= 0);
        assert_int_equal(wait_for(pid), 40 + i);
        assert_int_equal(*order.place, 40 + i);
        close(pidfd);
        nursery_free_all();
    }
    nursery_close();
}

static void handlers_are_the_default_ones_and_signals_blocked(void **state) {
    (void)state;
    int pidfd;
    struct sigaction mine = {.sa_handler = on_signal}, before;
    sigaction(SIGINT, &mine, &before);
    open_or_skip();
    volatile unsigned *place = nursery_alloc(sizeof *place);
    *place = 0;
    pid_t pid = nursery_start(report_signals, &place, sizeof place, &pidfd);
    assert_int_equal(wait_for(pid), 0);
    assert_int_equal(*place, 3);
    close(pidfd);
    nursery_close();
    sigaction(SIGINT, &before, NULL);
}

// What its children cannot see is no memory to give them.
static void it_refuses_what_it_cannot_pass_on(void **state) {
    (void)state;
    static const char long_argument[NURSERY_MOST_ARGUMENT + 1] = {0};
    int pidfd = -1;
    open_or_skip();
    assert_int_equal(nursery_start(come_back, long_argument, sizeof long_argument, &pidfd), -1);
    assert_non_null(nursery_alloc(LARGE));
    assert_int_equal(nursery_start(come_back, "", 0, &pidfd), -1);
    nursery_free_all();
    pid_t pid = nursery_start(come_back, "", 0, &pidfd);
    assert_int_equal(wait_for(pid), 255);
    close(pidfd);
    nursery_close();
    assert_int_equal(nursery_start(come_back, "", 0, &pidfd), -1);
}

// With a nursery and without one.
static void pieces_lie_apart(void **state) {
    (void)state;
    for (int has_nursery = 0; has_nursery < 2; has_nursery++) {
        if (has_nursery)
            nursery_open();
        enum { N = 5 };
        static const size_t sizes[N] = {1, 100, LARGE, 64, 4097};
        uint8_t *pieces[N];
        for (size_t i = 0; i < N; i++) {
            pieces[i] = nursery_alloc(sizes[i]);
            assert_non_null(pieces[i]);
            assert_int_equal((uintptr_t)pieces[i] % 64, 0);
            pieces[i][0] = pieces[i][sizes[i] - 1] = (uint8_t)(i + 1);
        }
        for (size_t i = 0; i < N; i++)
            assert_true(pieces[i][0] == i + 1 && pieces[i][sizes[i] - 1] == i + 1);
        nursery_close();
    }
}

static void a_copied_code_points_into_itself(void **state) {
    (void)state;
    uint8_t bytes[] = {1, 2, 3, 4};
    const struct bench_code code = {.bytes = bytes, .n_bytes = 4, .body = bytes + 1, .n_body_bytes = 2, .bodies = 7};
    const struct bench_code *copy = nursery_copy_code(&code);
    memset(bytes, 0, sizeof bytes);
    assert_memory_equal(copy->bytes, ((uint8_t[]){1, 2, 3, 4}), 4);
    assert_ptr_equal(copy->body, copy->bytes + 1);
    assert_int_equal(copy->bodies, 7);
    const struct bench_code without_body = {.bytes = bytes, .n_bytes = 4};
    assert_null(nursery_copy_code(&without_body)->body);
    nursery_close();
}

// Nobody is left behind: it ends with the last end of its socket.
static void closing_leaves_no_child(void **state) {
    (void)state;
    open_or_skip();
    nursery_close();
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    nursery_close(); // again
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_share_memory_and_are_ours),
        cmocka_unit_test(handlers_are_the_default_ones_and_signals_blocked),
        cmocka_unit_test(it_refuses_what_it_cannot_pass_on),
        cmocka_unit_test(pieces_lie_apart),
        cmocka_unit_test(a_copied_code_points_into_itself),
        cmocka_unit_test(closing_leaves_no_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
