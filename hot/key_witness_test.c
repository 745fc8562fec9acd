#include "hot/key_witness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t n_keys;

static void note(int number) {
    (void)number;
    n_keys++;
}

// Returns the number of the first that is wrong; 0: none is. In a group of its own.
static int judge_keys(bool is_busy) {
    const struct sigaction action = {.sa_handler = note};
    struct key_witness witness;
    sigaction(SIGINT, &action, NULL);
    key_witness_open(&witness);
    if (is_busy) // as long as others have its CPU
        kill(witness.pid, SIGSTOP);
    kill(0, SIGINT); // at once: the witness may not have run yet
    if (key_witness_is_alone(&witness, SIGINT))
        return 1;
    if (is_busy)
        kill(witness.pid, SIGCONT);
    usleep(10000);
    kill(getpid(), SIGINT);
    if (!key_witness_is_alone(&witness, SIGINT))
        return 2;
    kill(0, SIGINT);
    if (key_witness_is_alone(&witness, SIGINT))
        return 3;
    key_witness_close(&witness);
    return n_keys == 3 ? 0 : 4;
}

static void expect_right(bool is_busy) {
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        _exit(judge_keys(is_busy));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void keys_of_the_group(void **state) {
    (void)state;
    for (unsigned i = 0; i < 20; i++)
        expect_right(false);
}

static void a_busy_machine(void **state) {
    (void)state;
    expect_right(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_the_group),
        cmocka_unit_test(a_busy_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
