// For tests of bench: a session on a fake target, opened and measured once. Not the target itself: fake_target.h.
#ifndef BENCH_MEASURE_FAKE_SESSION_H
#define BENCH_MEASURE_FAKE_SESSION_H

#include "bench/targets/fake_target.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// cmocka's own compares floats.
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

struct fake_session {
    struct arena arena;
    struct fail fail;
    struct fake_target fake;
    struct bench bench;
    struct bench_measurement result;
};

extern const struct bench_chains fake_chains;
extern const struct bench_code fake_code; // code that is not one of the chains

// Opens and measures once; both must succeed. The arena is the caller's to free.
void fake_measure_with(struct fake_session *session, struct fake_target fake, const struct bench_options *options,
                       const struct bench_code *code);
// Measures fake_code for 20 ms, and does not confirm it at another time.
void fake_measure(struct fake_session *session, struct fake_target fake);

// A CPU with the noise of a server VM.
struct fake_target fake_target_noisy(uint64_t seed);

#endif
