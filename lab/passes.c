#include "lab/passes.h"

#include "bench/host/timer.h"
#include "lab/budget.h"

#include <math.h>

void passes_start(struct passes *passes, double budget_seconds, unsigned passes_left, size_t n_before) {
    *passes = (struct passes){budget_seconds, passes_left, timer_clock_ns(), n_before, 1};
}

bool passes_next(struct passes *passes, const struct lab_listener *listener, size_t n_unstable,
                 struct pass_effort *effort) {
    enum { MOST_PASSES = 16 };
    static const double least_attempt_ms = 10, most_attempt_ms = 200, retry_seconds = 20, helpful_share = 0.9;
    double left = fmin(budget_left(), passes->budget_seconds - (double)(timer_clock_ns() - passes->start_ns) / 1e9);
    if (n_unstable == 0 || left <= 0 || passes->n >= MOST_PASSES)
        return false;
    double share_ms = left * 1e3 / passes->passes_left / (double)n_unstable; // of each value, where all need it
    *effort = (struct pass_effort){.attempt_ms = fmax(least_attempt_ms, fmin(most_attempt_ms, share_ms)),
                                   .retry_seconds = retry_seconds,
                                   .is_hasty = (double)n_unstable < helpful_share * (double)passes->n_before};
    bool is_news = passes->n == 1 || n_unstable != passes->n_before;
    passes->n_before = n_unstable;
    passes->n++;
    if (!is_news) // the same number again, up to a dozen times
        return true;
    lab_say(listener, LAB_NOTE, "%zu %s unstable: pass %u measures %s again", n_unstable,
            n_unstable == 1 ? "value is" : "values are", passes->n, n_unstable == 1 ? "it" : "them");
    return true;
}
