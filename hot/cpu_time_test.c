// The CPU time of a program: without the time that it waits, with that of its children; and its course.
#include "hot/cpu_time.h"

#include "hot/course.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static double own_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void burn_until(double seconds) {
    while (own_time() < seconds)
        ;
}

// Takes 0.03 s, waits for 0.1 s, starts a child that takes 0.02 s, and waits for a byte.
static _Noreturn void be_program(int go, int over) {
    char byte = 0;
    int status;
    if (read(go, &byte, 1) != 1)
        _exit(1);
    burn_until(0.03);
    usleep(100000);
    pid_t child = fork();
    if (child == 0) {
        burn_until(0.02);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (write(over, &byte, 1) != 1 || read(go, &byte, 1) != 1)
        _exit(1);
    _exit(0);
}

// `has_events`: else as where the kernel forbids them.
static void check_program(bool has_events) {
    int go[2], over[2], status;
    char byte = 0;
    struct cpu_time time;
    assert_true(pipe(go) == 0 && pipe(over) == 0);
    pid_t pid = fork();
    if (pid == 0)
        be_program(go[0], over[1]);
    cpu_time_open(&time, pid, CPU_TIME_FROM_NOW);
    if (!has_events)
        cpu_time_close(&time);
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(read(over[0], &byte, 1), 1);
    const double seconds = cpu_time_read(&time);
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(cpu_time_read(&time) >= seconds);
    cpu_time_close(&time);
    // Children are known to a hundredth of a second where events are not.
    if (seconds < 0.038 || seconds > 0.1)
        fail_msg("%g s", seconds);
}

static void counts_what_a_program_takes(void **context) {
    (void)context;
    check_program(true);
    check_program(false);
}

static void is_even_between_points(void **context) {
    struct arena arena = {0};
    struct course course = {.arena = &arena};
    (void)context;
    assert_true(course_at(&course, 5) == 0);
    course_note(&course, 10, 0);
    course_note(&course, 11, 1);
    course_note(&course, 13, 1); // it waited
    course_note(&course, 14, 3); // two threads
    assert_true(course_at(&course, 5) == 0 && course_at(&course, 20) == 3);
    assert_true(fabs(course_at(&course, 10.25) - 0.25) < 1e-9);
    assert_true(fabs(course_at(&course, 12) - 1) < 1e-9);
    assert_true(fabs(course_at(&course, 13.5) - 2) < 1e-9);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_a_program_takes),
        cmocka_unit_test(is_even_between_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
