// When loops are copied, by the times of their samples, and what each copy stands for.
#include "hot/moments.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SAMPLES = 600 };

static const struct hot_range outer = {0x100, 0x200}, inner = {0x140, 0x160};

// A loop from 0 s to 1 s, which takes half of the time of each of its turns in the loop inside; another module's code.
static struct hot_profile make_profile(void) {
    static struct hot_timed timed[3 * SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++) {
        const double seconds = (double)i / SAMPLES;
        timed[3 * i] = (struct hot_timed){{0, 0x120}, seconds};
        timed[3 * i + 1] = (struct hot_timed){{0, 0x150}, 10 + seconds};
        timed[3 * i + 2] = (struct hot_timed){{1, 0x120}, 20 + seconds};
    }
    return (struct hot_profile){.timed = timed, .n_timed = sizeof timed / sizeof *timed};
}

static struct hot_loops make_loops(void) {
    static const struct hot_loop loops[] = {
        {.is_loop = true, .ranges = &outer, .n_ranges = 1, .parent = SIZE_MAX},
        {.is_loop = true, .ranges = &inner, .n_ranges = 1, .parent = 0},
        {.is_loop = true, .ranges = &outer, .n_ranges = 1, .parent = SIZE_MAX, .module = 2},
    };
    return (struct hot_loops){.loops = loops, .n = sizeof loops / sizeof *loops};
}

static bool is_near(double value, double expected) {
    return fabs(value - expected) < 0.005;
}

static void spreads_over_own_samples(void **context) {
    struct arena arena = {0};
    const struct hot_profile profile = make_profile();
    const struct hot_loops loops = make_loops();
    struct hot_moments moments;
    (void)context;
    hot_moments_choose(&arena, &profile, &loops, &loops.loops[0], 3, HOT_NARROW, &moments);
    assert_int_equal(moments.n, 3);
    assert_true(moments.times[0] < 0.16 && moments.times[0] > 0.14); // a little earlier
    assert_true(is_near(moments.before, moments.times[0]));
    assert_true(is_near(moments.times[1], 0.5) && is_near(moments.times[2], 5.0 / 6));
    // The first one is not later, the others are in the middle half of their thirds.
    assert_true(moments.most[0] == moments.times[0] && is_near(moments.least[0], 1.0 / 12));
    assert_true(is_near(moments.least[1], 5.0 / 12) && is_near(moments.most[1], 7.0 / 12));
    // With more room, the first one may be later, too.
    hot_moments_choose(&arena, &profile, &loops, &loops.loops[0], 3, HOT_WIDE, &moments);
    assert_true(is_near(moments.least[0], 1.0 / 12) && moments.most[0] > 0.27 && moments.most[0] < 0.31);
    assert_true(is_near(moments.least[2], 2.1 / 3) && is_near(moments.most[2], 2.9 / 3));
    hot_moments_choose(&arena, &profile, &loops, &loops.loops[1], 1, HOT_NARROW, &moments);
    assert_int_equal(moments.n, 1);
    assert_true(moments.times[0] < 10.5 && moments.times[0] > 10.1 && is_near(moments.before, moments.times[0] - 10));
    hot_moments_choose(&arena, &profile, &loops, &loops.loops[2], 3, HOT_NARROW, &moments);
    assert_int_equal(moments.n, 0);
    arena_free(&arena);
}

// Two loops side by side, one in the second half of their time, and one without times.
static void joins_what_is_near(void **context) {
    struct arena arena = {0};
    struct hot_moments all[] = {
        {.times = (double[]){1, 3, 5}, .least = (double[]){0.5, 2.5, 4.5}, .most = (double[]){1, 3.5, 5.5}, .n = 3},
        {.times = (double[]){0.9, 3.4}, .least = (double[]){0.6, 3.1}, .most = (double[]){0.9, 3.7}, .n = 2},
        {.times = (double[]){5.9}, .least = (double[]){5.2}, .most = (double[]){6.5}, .n = 1},
        {.n = 0},
    };
    (void)context;
    assert_int_equal(hot_moments_join(&arena, all, sizeof all / sizeof *all), 3);
    assert_true(all[0].times[0] == 0.9 && all[1].times[0] == 0.9); // that of both means that is possible
    assert_true(is_near(all[0].times[1], 3.2) && all[1].times[1] == all[0].times[1]);
    assert_true(is_near(all[0].times[2], 5.45) && all[2].times[0] == all[0].times[2]);
    arena_free(&arena);
}

static void weighs_by_samples(void **context) {
    const struct hot_profile profile = make_profile();
    const struct hot_loops loops = make_loops();
    struct hot_state first = {.seconds = 0.1}, second = {.seconds = 0.5}, third = {.seconds = 30};
    struct hot_state *const states[] = {&first, &second, &third};
    (void)context;
    hot_moments_weigh(&profile, &loops, &loops.loops[0], states, 3);
    assert_true(is_near(first.share, 0.3) && is_near(second.share, 0.7) && third.share == 0);
    hot_moments_weigh(&profile, &loops, &loops.loops[2], states, 3); // without samples
    assert_true(is_near(first.share, 1.0 / 3) && is_near(third.share, 1.0 / 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spreads_over_own_samples),
        cmocka_unit_test(joins_what_is_near),
        cmocka_unit_test(weighs_by_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
