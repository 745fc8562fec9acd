// A budget on a CPU whose clock is never steady: waiting takes all of it, and no more.
#include "lab/budget.h"

#include "bench/measure/fake_session.h"

static bool is_ended;

static bool user_ends(void) {
    return is_ended;
}

static double seconds_of(const struct fake_target *fake) {
    return fake->now_ns / 1e9;
}

static void there_is_none_before_it_starts(void **state) {
    (void)state;
    assert_true(isinf(budget_left()));
    assert_false(budget_is_spent());
    assert_false(budget_is_stopped());
    assert_near(budget_allows(60), 60, 0);
}

static void time_of_simulated_targets_counts(void **state) {
    struct fake_target one = fake_target_quiet(), other = fake_target_quiet();
    (void)state;
    budget_start(100, user_ends);
    one.now_ns = 5e9; // before it is watched
    budget_watch(&one.target);
    assert_near(budget_left(), 100, 1);
    one.now_ns = 45e9;
    assert_near(budget_left(), 60, 1);
    assert_near(budget_allows(60), 15, 0.5); // a quarter
    assert_near(budget_allows(10), 10, 0);
    budget_watch(NULL);
    one.now_ns = 1000e9;
    assert_near(budget_left(), 60, 1);
    budget_watch(&other.target);
    other.now_ns = 59e9;
    assert_false(budget_is_spent());
    other.now_ns = 60e9;
    assert_true(budget_is_spent());
    assert_true(budget_is_stopped());
    assert_near(budget_left(), 0, 0);
    budget_start(1, user_ends); // what was spent before is not this one's
    assert_false(budget_is_stopped());
    is_ended = true;
    assert_true(budget_is_stopped());
    assert_false(budget_is_spent());
    is_ended = false;
    budget_start(INFINITY, user_ends);
    other.now_ns = 1e18;
    assert_false(budget_is_stopped());
    budget_watch(NULL);
}

// Opens a session on a CPU whose clock is never steady, and waits for it up to `wait` seconds. Returns the simulated
// time that this took.
static double wait_for_ever(double budget, double wait) {
    struct fake_session session = {.fake = fake_target_quiet()};
    const struct bench_options options = {.cpu = -1, .budget_ms = 20, .is_stopped = budget_is_stopped};
    session.fake.noise_ticks = 1e5;
    budget_start(budget, NULL);
    budget_watch(&session.fake.target);
    // False where the budget ends in the middle of a calibration.
    bool is_run =
        bench_open(&session.bench, &session.arena, &session.fake.target, &options, &fake_chains, &session.fail) &&
        bench_wait_steady(&session.bench, wait, NULL, &session.fail);
    assert_true(is_run || budget_is_spent());
    assert_false(session.bench.stable && is_run);
    budget_watch(NULL);
    arena_free(&session.arena);
    return seconds_of(&session.fake);
}

static void waiting_ends_with_it(void **state) {
    enum { WAIT = 60 };
    static const double budgets[] = {3, 10, 30}, piece = 0.5; // piece: one process, and its look at the time
    (void)state;
    assert_true(wait_for_ever(INFINITY, WAIT) > WAIT);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        double seconds = wait_for_ever(budgets[i], WAIT);
        assert_true(seconds >= budgets[i]);
        assert_true(seconds < budgets[i] + piece);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_none_before_it_starts),
        cmocka_unit_test(time_of_simulated_targets_counts),
        cmocka_unit_test(waiting_ends_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
