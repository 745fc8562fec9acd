// How busy CPUs are, which is the quietest, and who else runs on our core.
#include "bench/host/fake_tree.h"
#include "bench/host/load.h"

#include "bench/host/priority.h"
#include "bench/host/timer.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct host_load read_load(struct tree *tree) {
    struct host_load load = {.arena = &tree->arena};
    host_load_read(&load);
    return load;
}

// CPU 1 is offline, so it has no column; a timer that is a device, as on Arm; and names instead of numbers.
static const char interrupts[] = "           CPU0       CPU2       CPU3\n"
                                 "  9:       1000          7          0   GICv3  27 Level     arch_timer\n"
                                 " 24:         10        200          0   ITS-MSI  0 Edge      nvme0q0\n"
                                 "125:          1       3000          0   ITS-MSI  1 Edge      nvme0q1\n"
                                 "IPI0:       500        600        700   Rescheduling interrupts\n"
                                 "Err:          0";

static void counts_work_since_boot(void **state) {
    struct tree *tree = *state;
    struct host_work work;
    tree_put(tree, "/proc/stat",
             "cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 100 0 0 900 0 0 0 0 0 0\n"
             "cpu2 10 20 30 400 50 60 70 80 90 95\ncpu22 1 1 1 1 1 1 1 1 0 0\nintr 5");
    tree_put(tree, "/proc/interrupts", interrupts);
    struct host_load load = read_load(tree);
    double hertz = (double)sysconf(_SC_CLK_TCK);
    assert_true(host_load_work(&load, 2, &work));
    assert_true(fabs(work.busy_seconds * hertz - (10 + 20 + 30 + 60 + 70 + 80)) < 1e-6);
    assert_true(fabs(work.idle_seconds * hertz - 450) < 1e-6);
    assert_true(fabs(work.interrupts - 3200) < 1e-9);
    assert_true(host_load_work(&load, 0, &work) && fabs(work.interrupts - 11) < 1e-9);
    assert_true(host_load_work(&load, 22, &work) && fabs(work.interrupts) < 1e-9);
    assert_false(host_load_work(&load, 1, &work));
    assert_false(host_load_work(&load, 3, &work));
}

static void knows_nothing_without_files(void **state) {
    struct tree *tree = *state;
    struct host_work work;
    struct host_load load = read_load(tree);
    assert_false(host_load_work(&load, 0, &work));
    assert_true(host_load_busy(&load, &load, 0) < 0);
}

static void busy_is_of_the_time_between(void **state) {
    struct tree *tree = *state;
    tree_put(tree, "/proc/stat", "cpu0 1000 0 0 1000 0 0 0 0\ncpu1 0 0 0 2000 0 0 0 0");
    struct host_load before = read_load(tree);
    tree_put(tree, "/proc/stat", "cpu0 1000 0 0 1010 0 0 0 0\ncpu1 5 0 2 2002 0 0 0 1");
    struct host_load after = read_load(tree);
    assert_true(fabs(host_load_busy(&before, &after, 0)) < 1e-9);
    assert_true(fabs(host_load_busy(&before, &after, 1) - 0.8) < 1e-9);
    assert_true(fabs(host_load_busy(&before, &before, 0) - 0.5) < 1e-9); // nothing moved: since boot
}

// Eight threads, four cores; `stat` says what each has done.
static int choose(struct tree *tree, const char *stat, const char *more_interrupts) {
    static const char *const masks[] = {"03", "03", "0c", "0c", "30", "30", "c0", "c0"};
    tree_put_cpus(tree, 8);
    for (unsigned cpu = 0; cpu < 8; cpu++)
        tree_put_cpu(tree, cpu, cpu / 2, masks[cpu]);
    tree_put(tree, "/proc/cpuinfo", "processor\t: 0\nmodel name\t: Test\nflags\t\t: fpu");
    tree_put(tree, "/proc/stat", stat);
    tree_put(tree, "/proc/interrupts",
             arena_printf(&tree->arena, "     CPU0 CPU1 CPU2 CPU3 CPU4 CPU5 CPU6 CPU7\n%s", more_interrupts));
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, &tree->host, &tree->fail));
    return tree->host.cpu;
}

static void a_core_with_a_busy_sibling_is_not_quiet(void **state) {
    static const char stat[] = "cpu0 0 0 0 1000\ncpu1 0 0 0 1000\ncpu2 0 0 0 1000\ncpu3 900 0 0 100\n"
                               "cpu4 50 0 0 950\ncpu5 0 0 0 1000\ncpu6 500 0 0 500\ncpu7 0 0 0 1000";
    assert_int_equal(choose(*state, stat, " 24: 0 0 0 0 0 0 0 0 nvme0q0"), 4);
    assert_int_equal(((struct tree *)*state)->host.n_siblings, 1);
    assert_int_equal(((struct tree *)*state)->host.siblings[0], 5);
}

// Between cores about as busy, interrupts decide; a little more or less of them does not.
static void a_core_that_gets_interrupts_is_not_quiet(void **state) {
    static const char stat[] = "cpu0 0 0 0 1000\ncpu1 0 0 0 1000\ncpu2 10 0 0 990\ncpu3 0 0 0 1000\n"
                               "cpu4 20 0 0 980\ncpu5 0 0 0 1000\ncpu6 30 0 0 970\ncpu7 0 0 0 1000";
    assert_int_equal(choose(*state, stat, " 24: 0 0 0 70000 60000 0 3 0 nvme0q0"), 6);
    assert_int_equal(choose(*state, stat, " 24: 0 0 0 70000 70 0 65 0 nvme0q0"), 4);
}

static void watches_the_sibling(void **state) {
    struct tree *tree = *state;
    tree_put(tree, "/sys/devices/system/cpu/online", "0-1,3-12");
    tree_put(tree, "/sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2,12");
    struct host_watch watch;
    const struct timespec interval = {0, (long)(HOST_WATCH_SECONDS * 1e9) + 1000000};
    tree_put(tree, "/proc/stat", "cpu2 0 0 0 100 0 0 0 0\ncpu12 100 0 0 100 0 0 0 0");
    double start = timer_seconds();
    host_watch_start(&watch, 2);
    assert_int_equal(watch.n_siblings, 1);
    assert_int_equal(watch.siblings[0], 12);
    double early = host_watch_busy(&watch);
    assert_true(early < 0 ||
                timer_seconds() - start >= HOST_WATCH_SECONDS); // no answer, unless this thread had to wait
    tree_put(tree, "/proc/stat", "cpu2 0 0 0 100 0 0 0 0\ncpu12 100 0 0 100 0 0 0 0");
    host_watch_start(&watch, 2);
    nanosleep(&interval, NULL);
    tree_put(tree, "/proc/stat", "cpu2 50 0 0 100 0 0 0 0\ncpu12 100 0 0 105 0 0 0 0");
    double busy = host_watch_busy(&watch);
    assert_true(busy >= 0 && busy < HOST_WATCH_BUSY); // what we do ourselves does not count
    nanosleep(&interval, NULL);
    tree_put(tree, "/proc/stat", "cpu2 99 0 0 100 0 0 0 0\ncpu12 100000 0 0 105 0 0 0 0");
    assert_true(host_watch_busy(&watch) > HOST_WATCH_BUSY);
    host_watch_start(&watch, 1);
    nanosleep(&interval, NULL);
    assert_true(host_watch_busy(&watch) < 0); // nobody to watch
}

// Whatever is allowed here: what is said is what the process then has.
static void priority_is_what_it_says(void **state) {
    (void)state;
    enum host_priority expected = host_priority_try();
    pid_t pid = fork();
    if (pid == 0) {
        enum host_priority got = host_priority_raise(5);
        bool is_fifo = (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
        _exit(got == expected && is_fifo == (got == HOST_PRIORITY_FIFO) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// A real-time process that never blocks is ended, whoever else gets to run.
static void real_time_is_limited(void **state) {
    (void)state;
    if (host_priority_try() != HOST_PRIORITY_FIFO)
        skip();
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGXCPU, SIG_DFL);
        host_priority_raise(0.05);
        for (;;)
            __asm__ volatile("");
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_work_since_boot, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(knows_nothing_without_files, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(busy_is_of_the_time_between, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(a_core_with_a_busy_sibling_is_not_quiet, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(a_core_that_gets_interrupts_is_not_quiet, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(watches_the_sibling, tree_set_up, tree_tear_down),
        cmocka_unit_test(priority_is_what_it_says),
        cmocka_unit_test(real_time_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
