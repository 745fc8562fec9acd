// How long a child may compute, and how long it may wait for its CPU.
#include "bench/host/timer.h"
#include "bench/sandbox/sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

// In memory shared with the child.
struct work {
    volatile unsigned n_steps;
    unsigned wanted_steps;      // 0: none, for ever
    double seconds, of_waiting; // for each step: of computing, and of sleeping
};

static int do_work(struct sandbox *sandbox, void *context) {
    (void)sandbox;
    struct work *work = context;
    do {
        double start = timer_seconds();
        usleep((useconds_t)(work->of_waiting * 1e6));
        while (timer_seconds() - start < work->seconds + work->of_waiting)
            continue;
        work->n_steps += work->wanted_steps > 0;
    } while (!work->wanted_steps || work->n_steps < work->wanted_steps);
    return 0;
}

static enum bench_outcome run(const struct work *wanted, double timeout_seconds, double step_seconds,
                              double patience_seconds) {
    struct work *work = mmap(NULL, sizeof *work, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(work != MAP_FAILED);
    *work = *wanted;
    struct sandbox_job job = {
        .body = do_work,
        .context = work,
        .timeout_seconds = timeout_seconds,
        .n_steps = &work->n_steps,
        .step_seconds = step_seconds,
        .patience_seconds = patience_seconds,
    };
    enum bench_outcome outcome;
    int status;
    struct fail fail = {0};
    assert_true(sandbox_run(&job, &outcome, &status, &fail));
    munmap(work, sizeof *work);
    return outcome;
}

// Whether one of three runs ends so. Where a hypervisor does not say how long it stopped this machine, the child seems
// to have computed all that time.
static bool is_once(enum bench_outcome wanted, const struct work *work, double timeout_seconds, double step_seconds,
                    double patience_seconds) {
    for (unsigned i = 0; i < 3; i++) {
        enum bench_outcome outcome = run(work, timeout_seconds, step_seconds, patience_seconds);
        if (outcome == wanted)
            return true;
        print_message("%s\n", bench_outcome_name(outcome));
    }
    return false;
}

static void endless_code_is_seen_after_a_step(void **state) {
    (void)state;
    double start = timer_seconds();
    assert_int_equal(run(&(struct work){.seconds = 1e-3}, 3600, 0.02, 3600), BENCH_TIMEOUT);
    assert_true(timer_seconds() - start < 1800); // long before its whole time is over, on any machine
}

static void all_steps_together_have_a_limit(void **state) {
    (void)state;
    struct work work = {.wanted_steps = 1000000, .seconds = 1e-3};
    assert_int_equal(run(&work, 0.1, 0.05, 3600), BENCH_TIMEOUT);
}

// Waiting is no computing: ten times the time of a step passes here.
static void waiting_is_no_time_out(void **state) {
    (void)state;
    struct work work = {.wanted_steps = 10, .seconds = 1e-4, .of_waiting = 0.02};
    assert_true(is_once(BENCH_OK, &work, 10, 0.02, 3600));
}

static void without_its_cpu_nothing_is_said_of_the_code(void **state) {
    (void)state;
    struct work work = {.wanted_steps = 1, .of_waiting = 3600};
    assert_true(is_once(BENCH_STARVED, &work, 0.02, 0.01, 0.1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_code_is_seen_after_a_step),
        cmocka_unit_test(all_steps_together_have_a_limit),
        cmocka_unit_test(waiting_is_no_time_out),
        cmocka_unit_test(without_its_cpu_nothing_is_said_of_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
