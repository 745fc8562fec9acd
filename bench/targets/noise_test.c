// Each kind of noise does what it says, and nothing else.
#include "bench/targets/noise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// cmocka's own compares floats.
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { ROUNDS = 4000, ROUNDS_PER_PROCESS = 20 };
static const double core_hz = 1e9, timer_hz = 1e9; // a tick is a cycle

static const struct bench_code reference = {.body = (const uint8_t *)"r", .bodies = 1, .body_instructions = 1};
static const struct bench_code code = {.body = (const uint8_t *)"c", .bodies = 1, .body_instructions = 3};
static const struct target_job job = {.code = &code,
                                      .reference = &reference,
                                      .code_short = 5000,
                                      .code_long = 10000,
                                      .reference_short = 10000,
                                      .reference_long = 20000};
static const struct noise_cycles truth = {.reference = {10000, 20000},
                                          .code = {20000, 40000}}; // the code takes 4 cycles

struct seen {
    double code[ROUNDS], reference[ROUNDS]; // long minus short, ticks
    unsigned n_switches, n_stolen;          // rounds
    struct target_round rounds[ROUNDS];
};

static struct noise_spec spec_of(const char *text) {
    struct arena arena = {0};
    struct noise_spec spec = {.seed = 5};
    struct fail fail = {0};
    bool is_good = noise_parse(&arena, text, &spec, &fail);
    assert_string_equal(fail.text, "");
    assert_true(is_good);
    arena_free(&arena);
    return spec;
}

static const struct seen *look(const struct noise_spec *spec) {
    static struct seen seen;
    struct noise noise = noise_new(spec, core_hz, timer_hz);
    seen.n_switches = seen.n_stolen = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct target_round *round = &seen.rounds[i];
        if (i % ROUNDS_PER_PROCESS == 0)
            noise_start_process(&noise);
        noise_round(&noise, &job, &truth, round);
        seen.code[i] = (double)round->code_long.ticks - (double)round->code_short.ticks;
        seen.reference[i] = (double)round->reference_before[1].ticks - (double)round->reference_before[0].ticks;
        seen.n_switches += round->switches;
        seen.n_stolen += round->stolen_ns > 0;
    }
    return &seen;
}

static const struct seen *look_at(const char *text) {
    struct noise_spec spec = spec_of(text);
    return look(&spec);
}

static double mean_of(const double values[ROUNDS]) {
    double sum = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        sum += values[i];
    return sum / ROUNDS;
}

static double deviation_of(const double values[ROUNDS]) {
    double mean = mean_of(values), sum = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / ROUNDS);
}

// The share of rounds whose code takes more than `limit` ticks.
static double share_above(const double values[ROUNDS], double limit) {
    unsigned n = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        n += values[i] > limit;
    return (double)n / ROUNDS;
}

static void none_is_the_truth(void **state) {
    (void)state;
    const struct seen *seen = look_at("none");
    assert_near(mean_of(seen->code), 20000, 0.1);
    assert_true(deviation_of(seen->code) < 1); // ticks are whole
    assert_near(mean_of(seen->reference), 10000, 0.1);
    assert_int_equal(seen->n_switches, 0);
    assert_int_equal(seen->rounds[0].code_long.counters[0], 0);
}

static void a_seed_repeats_itself(void **state) {
    (void)state;
    struct noise_spec spec = spec_of("vm+states+neighbour+counters");
    struct target_round first[ROUNDS];
    memcpy(first, look(&spec)->rounds, sizeof first);
    assert_memory_equal(first, look(&spec)->rounds, sizeof first);
    spec.seed++;
    assert_memory_not_equal(first, look(&spec)->rounds, sizeof first);
}

// The time that gaps took of the code's long runs, as a share: a run without a gap takes 40000 ticks more than its
// reading.
static void preempted_takes_the_core_and_reports_nothing(void **state) {
    (void)state;
    const struct seen *seen = look_at("preempted:15000:2:0.3");
    double added = mean_of(seen->code) / 20000 - 1;
    assert_near(added, 15000 * 2e-6, 0.01);
    assert_int_equal(seen->n_switches, 0);
    assert_int_equal(seen->n_stolen, 0);
    double share = share_above(seen->code, 21000); // a long run of 40 µs and a short one of 20 µs, every 65 µs a gap
    assert_true(share > 0.5 && share < 0.7);
}

// A gap comes every 200 µs, and a round lasts 120 µs. What is cold makes the long run longer where the gap is in the
// short one, of 20 µs; else it makes the short run longer.
static void what_runs_behind_a_gap_is_cold(void **state) {
    (void)state;
    double warm = share_above(look_at("preempted:5000:0.001:0.3")->code, 20100),
           longer = share_above(look_at("preempted:5000:0.001:0.3:1")->code, 20100),
           shorter = 1 - share_above(look_at("preempted:5000:0.001:0.3:1")->code, 19900);
    assert_near(warm, 0, 0.001);
    assert_near(longer, 20.0 / 200, 0.03);
    assert_near(shorter, 100.0 / 200, 0.1);
}

static void a_spin_loop_sees_the_gaps(void **state) {
    (void)state;
    enum { MOST = 4096 };
    static struct target_gap gaps[MOST];
    struct noise_spec spec = spec_of("vm+preempted:15000:2:0.3");
    struct noise noise = noise_new(&spec, core_hz, timer_hz);
    struct target_watch watch = {.seconds = 0.1, .gaps = gaps, .most_gaps = MOST};
    noise_watch(&noise, &watch);
    assert_near(watch.seconds, 0.1, 1e-4);
    assert_near((double)watch.n_gaps, 15000 * 0.1 + 700 * 0.1, 30);
    unsigned n_short = 0;
    for (unsigned i = 0; i < watch.n_gaps; i++) {
        n_short += gaps[i].ns >= 1399 && gaps[i].ns <= 2601;
        assert_true(i == 0 || gaps[i].start_ns >= gaps[i - 1].start_ns + gaps[i - 1].ns);
    }
    assert_near((double)n_short, 1500, 30);
    watch = (struct target_watch){.seconds = 0.1, .gaps = gaps, .most_gaps = 10}; // a full list ends it
    noise_watch(&noise, &watch);
    assert_int_equal(watch.n_gaps, 10);
    assert_true(watch.seconds < 0.01);
}

static void jitter_and_timer(void **state) {
    (void)state;
    assert_near(deviation_of(look_at("jitter:50")->code), 50 * sqrt(2), 3);
    const struct seen *seen = look_at("timer:1000");
    for (unsigned i = 0; i < ROUNDS; i++)
        assert_near(remainder(seen->code[i], 1000), 0, 1e-9);
    assert_near(mean_of(seen->code), 20000, 50);
    struct noise_spec spec = spec_of("timer:1000");
    struct noise noise = noise_new(&spec, core_hz, timer_hz);
    assert_int_equal(noise_timer_step(&noise), 1000);
}

// A round times 120 µs in all.
static void interrupts_come_at_their_rate(void **state) {
    (void)state;
    const struct seen *seen = look_at("interrupts:1000:20:1");
    assert_near((double)seen->n_switches / ROUNDS, 0.120, 0.02);
    assert_near(share_above(seen->code, 21000), 0.040, 0.01); // those in the long run
    assert_int_equal(look_at("interrupts:1000:20:0")->n_switches, 0);
    assert_near((double)look_at("steal:100:1000:0.5")->n_stolen / ROUNDS, 0.0075, 0.004);
}

static void frequency_moves_code_and_reference_alike(void **state) {
    (void)state;
    const struct seen *seen = look_at("drift:0.1");
    double ratio[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++)
        ratio[i] = seen->code[i] / seen->reference[i];
    assert_true(deviation_of(seen->code) > 0.02 * 20000);
    assert_near(mean_of(ratio), 2, 0.002);
    assert_true(deviation_of(ratio) < 0.02);
    seen = look_at("steps:1000:0.5");
    assert_true(deviation_of(seen->code) > 0.2 * 20000);
    assert_near(mean_of(seen->code), 20000 * 2 * log(2), 1500); // mean of 1 / (1 - 0.5 u)
}

static void two_states(void **state) {
    (void)state;
    const struct seen *seen = look_at("states:0.3:1.5");
    assert_near(share_above(seen->code, 25000), 0.3, 0.03);
    assert_near(mean_of(seen->reference), 10000, 0.1);
    seen = look_at("layouts:0.4:1.5");
    assert_near(share_above(seen->code, 25000), 0.4, 0.15); // 200 processes
    for (unsigned i = 1; i < ROUNDS; i++)
        assert_true(i % ROUNDS_PER_PROCESS == 0 || fabs(seen->code[i] - seen->code[i - 1]) < 3);
    assert_near(deviation_of(look_at("spread:0.01")->code), 200, 40);
}

static void a_neighbour_slows_each_by_its_own(void **state) {
    (void)state;
    const struct seen *seen = look_at("neighbour:1:5:1.5:1.01:1");
    assert_near(mean_of(seen->code), 30000, 300);
    assert_near(mean_of(seen->reference), 10100, 20);
    seen = look_at("neighbour:0.25:2:1.5");
    assert_near(share_above(seen->code, 22000), 0.25, 0.08);
}

// Code that uses what he does takes longer, and nothing else does.
static void a_rival_slows_his_own_kind(void **state) {
    (void)state;
    static const char *const texts[BENCH_N_USES] = {"integers:1:5:1.5", "vectors:1:5:1.5", "loads:1:5:1.5",
                                                    "stores:1:5:1.5", "masks:1:5:1.5"};
    for (unsigned rival = 0; rival < BENCH_N_USES; rival++) {
        struct noise_spec spec = spec_of(texts[rival]);
        for (unsigned use = 0; use < BENCH_N_USES; use++) {
            struct noise noise = noise_new(&spec, core_hz, timer_hz);
            struct bench_code some = code;
            struct target_job other = job;
            struct target_round round;
            some.uses = 1U << use;
            other.code = &some;
            noise_round(&noise, &other, &truth, &round);
            double ticks = (double)round.code_long.ticks - (double)round.code_short.ticks;
            assert_near(ticks, use == rival ? 30000 : 20000, use == rival ? 10000 * 0.2 * 4 : 2);
            ticks = (double)round.reference_after[1].ticks - (double)round.reference_after[0].ticks;
            assert_near(ticks, 10000, 2);
        }
    }
}

static void an_early_neighbour_is_there_at_first(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct noise_spec spec = spec_of("neighbour:0.1:5+early");
        spec.seed = seed;
        assert_true(noise_new(&spec, core_hz, timer_hz).is_neighbour_busy);
    }
}

static double counted(const struct seen *seen, unsigned counter) {
    double sum = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        sum +=
            (double)seen->rounds[i].code_long.counters[counter] - (double)seen->rounds[i].code_short.counters[counter];
    return sum / ROUNDS;
}

static void counters_lie_as_told(void **state) {
    (void)state;
    const struct seen *seen = look_at("counters+interrupts");
    assert_near(counted(seen, 0), 20000, 1e-6);
    assert_near(counted(seen, 1), 15000, 1e-6);
    assert_near(counted(look_at("counters:1.03"), 0), 20600, 1);
    seen = look_at("miscount:0.01");
    assert_near(counted(seen, 0), 20000, 1e-6);
    assert_near(counted(seen, 1), 15150, 1);
    seen = look_at("multiplexed:0.5");
    unsigned n_off = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        n_off += seen->rounds[i].code_long.counters[1] - seen->rounds[i].code_short.counters[1] != 15000;
    assert_true(n_off > ROUNDS * 9 / 10);
}

static void every_kind_is_listed(void **state) {
    (void)state;
    static const char *const first_and_last[] = {"jitter:NS", "early:FIRST", "miscount:SHARE", "  vm  "};
    struct arena arena = {0};
    const char *kinds = noise_kinds(&arena);
    for (size_t i = 0; i < sizeof first_and_last / sizeof *first_and_last; i++)
        assert_non_null(strstr(kinds, first_and_last[i]));
    arena_free(&arena);
}

static void bad_words_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {{"noisy", "unknown noise 'noisy'"},
                 {"", "unknown noise ''"},
                 {"vm+", "unknown noise ''"},
                 {"jitter:x", "NS is a number from 0 to 1e+06, and not 'x'"},
                 {"jitter:", "and not ''"},
                 {"jitter:1:2", "'jitter' has 1 parameters at most"},
                 {"drift:nan", "and not 'nan'"},
                 {"none:1", "'none' has 0 parameters"},
                 {"help", "noise=help lists the kinds"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct noise_spec spec = {0};
        struct fail fail = {0};
        assert_false(noise_parse(&arena, cases[i].text, &spec, &fail));
        assert_int_equal(fail.status, FAIL_INPUT);
        assert_non_null(strstr(fail.text, cases[i].message));
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_is_the_truth),
        cmocka_unit_test(a_seed_repeats_itself),
        cmocka_unit_test(jitter_and_timer),
        cmocka_unit_test(preempted_takes_the_core_and_reports_nothing),
        cmocka_unit_test(what_runs_behind_a_gap_is_cold),
        cmocka_unit_test(a_spin_loop_sees_the_gaps),
        cmocka_unit_test(interrupts_come_at_their_rate),
        cmocka_unit_test(frequency_moves_code_and_reference_alike),
        cmocka_unit_test(two_states),
        cmocka_unit_test(a_neighbour_slows_each_by_its_own),
        cmocka_unit_test(a_rival_slows_his_own_kind),
        cmocka_unit_test(an_early_neighbour_is_there_at_first),
        cmocka_unit_test(counters_lie_as_told),
        cmocka_unit_test(every_kind_is_listed),
        cmocka_unit_test(bad_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
