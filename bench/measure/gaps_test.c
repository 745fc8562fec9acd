// The time scale of interruptions, from gaps that are known.
#include "bench/measure/gaps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { MOST = 4096 };
static struct target_gap gaps[MOST];

// Gaps of `gap_ns`, one every `every_ns`, for 0.03 s or until the list is full.
static struct bench_gaps regular(double gap_ns, double every_ns) {
    struct target_watch watch = {.resolution_ns = 100, .gaps = gaps, .most_gaps = MOST};
    struct bench_gaps spectrum;
    for (double ns = every_ns - gap_ns; ns < 0.03e9 && watch.n_gaps < MOST; ns += every_ns) {
        gaps[watch.n_gaps++] = (struct target_gap){ns, gap_ns};
        watch.seconds = (ns + gap_ns) / 1e9;
    }
    gaps_summarise(&watch, &spectrum);
    return spectrum;
}

static void counts_by_length(void **state) {
    (void)state;
    struct target_gap some[] = {{1000, 150}, {2000, 350}, {3000, 799}, {5000, 800}, {20000, 1e6}};
    struct target_watch watch = {.seconds = 0.002, .gaps = some, .n_gaps = 5, .most_gaps = 5};
    struct bench_gaps spectrum;
    gaps_summarise(&watch, &spectrum);
    assert_int_equal(spectrum.count[0], 1);
    assert_int_equal(spectrum.count[1], 1);
    assert_int_equal(spectrum.count[2], 1);
    assert_int_equal(spectrum.count[3], 1);
    assert_int_equal(spectrum.count[BENCH_GAP_CLASSES - 1], 1);
    assert_near(spectrum.total_us[2], 0.799, 1e-9);
    assert_near(bench_gaps_class_us(3), 0.8, 1e-9);
    assert_int_equal(spectrum.n_spoiling, 4);
    assert_near(spectrum.share, (150 + 350 + 799 + 800 + 1e6) / 2e6, 1e-9);
}

static void windows_are_weighed_by_their_time(void **state) {
    (void)state;
    struct bench_gaps spectrum = regular(2000, 50000);
    assert_near(spectrum.median_window_us, 48, 0.01);
    assert_near(spectrum.short_window_us, 48, 0.01);
    assert_near(bench_gaps_per_second(&spectrum), 20000, 100);
    assert_near(spectrum.share, 0.04, 0.001);
    assert_near(gaps_hit_share(&spectrum, 4800), 0.1, 0.001);
    // Pairs of gaps with a microsecond in between do not make the windows short.
    struct target_watch watch = {.seconds = 0.01, .gaps = gaps};
    for (unsigned i = 0; i < 100; i++) {
        double ns = i * 1e5;
        gaps[watch.n_gaps++] = (struct target_gap){ns, 1000};
        gaps[watch.n_gaps++] = (struct target_gap){ns + 2000, 1000};
    }
    gaps_summarise(&watch, &spectrum);
    assert_near(spectrum.median_window_us, 97, 0.01);
}

static void lengths_follow_the_windows(void **state) {
    (void)state;
    static const double usual = 10e-6;
    struct bench_gaps none = {0}, quiet = regular(2000, 1e6), often = regular(2000, 50000), always = regular(500, 5000),
                      few = regular(2000, 50000);
    few.n_spoiling = 3; // show nothing
    assert_int_equal(gaps_divisor(&none, usual), 1);
    assert_int_equal(gaps_divisor(&quiet, usual), 1);
    assert_int_equal(gaps_divisor(&few, usual), 1);
    assert_int_equal(gaps_divisor(&often, usual), 3);
    assert_int_equal(gaps_divisor(&always, usual), 16);
    assert_false(gaps_leave_nothing(&always));
}

static void nothing_is_left(void **state) {
    (void)state;
    struct arena arena = {0};
    struct bench_gaps spectrum = regular(400, 900), none = {0};
    assert_true(gaps_leave_nothing(&spectrum));
    assert_false(gaps_leave_nothing(&none));
    assert_non_null(strstr(bench_gaps_summary(&arena, &spectrum), "windows of 0.5 µs and more"));
    assert_non_null(strstr(bench_gaps_summary(&arena, &none), "not known"));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_length),
        cmocka_unit_test(windows_are_weighed_by_their_time),
        cmocka_unit_test(lengths_follow_the_windows),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
