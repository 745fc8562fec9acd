#include "lab/budget.h"

#include "bench/host/timer.h"

#include <math.h>
#include <stdint.h>

static struct {
    bool is_limited;
    double seconds;
    bool (*is_stopped)(void);
    uint64_t start_ns;     // by this machine's clock
    struct target *target; // one with a time of its own, while it is open
    uint64_t target_ns;    // its time when it was opened
    uint64_t simulated_ns; // time of those before it
} budget;

static uint64_t simulated_ns(void) {
    return budget.simulated_ns + (budget.target ? budget.target->ops->now_ns(budget.target) - budget.target_ns : 0);
}

void budget_start(double seconds, bool (*is_stopped)(void)) {
    budget.is_limited = isfinite(seconds);
    budget.seconds = seconds;
    budget.is_stopped = is_stopped;
    budget.start_ns = timer_clock_ns();
    budget_watch(budget.target);
    budget.simulated_ns = 0;
}

void budget_watch(struct target *target) {
    budget.simulated_ns = simulated_ns();
    budget.target = target && target->ops->now_ns ? target : NULL;
    budget.target_ns = budget.target ? target->ops->now_ns(target) : 0;
}

double budget_left(void) {
    double spent = fmax((double)(timer_clock_ns() - budget.start_ns), (double)simulated_ns()) / 1e9;
    return budget.is_limited ? fmax(0, budget.seconds - spent) : INFINITY;
}

bool budget_is_spent(void) {
    return budget.is_limited && budget_left() <= 0;
}

bool budget_is_stopped(void) {
    return budget_is_spent() || (budget.is_stopped && budget.is_stopped());
}

double budget_allows(double seconds) {
    static const double share = 4;
    return fmin(seconds, budget_left() / share);
}
