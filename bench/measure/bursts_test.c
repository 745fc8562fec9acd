// Whole rounds from bursts: what a gap has hit is lost, and nothing else.
#include "bench/measure/bursts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

// A burst's runs take 100 ticks and a tick for each iteration; the code's bodies take CYCLES.
enum { BURSTS = 8, ROUNDS = 10, SHORT = 250, LONG = 2000, START = 100, CYCLES = 4, GAP = 1500 };

// A target that shows bursts as `spoil` leaves them.
struct burst_target {
    struct target target; // first
    void (*spoil)(struct target_round *burst, unsigned index);
    struct target_job last; // as the target got it
};

static void put_pair(struct target_sample pair[2], uint64_t n_short, uint64_t n_long, unsigned cycles) {
    pair[0].ticks = START + n_short * cycles;
    pair[1].ticks = START + n_long * cycles;
}

static bool run(struct target *target, struct target_job *jobs, unsigned n_jobs, enum bench_outcome *outcome,
                struct fail *fail) {
    struct burst_target *burst_target = (struct burst_target *)target;
    (void)fail;
    *outcome = BENCH_OK;
    burst_target->last = jobs[0];
    for (unsigned j = 0; j < n_jobs; j++) {
        struct target_job *job = &jobs[j];
        for (unsigned i = 0; i < job->n_rounds; i++) {
            struct target_sample code[2];
            struct target_round *burst = &job->rounds[i];
            *burst = (struct target_round){.switches = 0};
            put_pair(burst->reference_before, job->reference_short, job->reference_long, 1);
            put_pair(burst->reference_after, job->reference_short, job->reference_long, 1);
            put_pair(code, job->code_short, job->code_long, CYCLES);
            burst->code_short = code[0];
            burst->code_long = code[1];
            burst_target->spoil(burst, i);
        }
        job->n_done = job->n_rounds;
    }
    return true;
}

static void leave(struct target_round *burst, unsigned index) {
    (void)burst;
    (void)index;
}

// A gap in the code of every fourth burst, now in the short run, now in the long one; in the reference of others.
static void hit_some(struct target_round *burst, unsigned index) {
    if (index % 8 == 1)
        burst->code_long.ticks += GAP;
    if (index % 8 == 5)
        burst->code_short.ticks += GAP;
    if (index % 8 == 3)
        burst->reference_after[1].ticks += GAP;
    if (index % 8 == 7)
        burst->reference_before[0].ticks += GAP;
}

// The code has another speed in half of the bursts: more than gaps explain.
static void two_speeds(struct target_round *burst, unsigned index) {
    if (index / BURSTS % 2)
        burst->code_long.ticks += GAP;
}

static void all_hit_in_one_round(struct target_round *burst, unsigned index) {
    if (index / BURSTS == 2)
        burst->code_long.ticks += GAP;
}

static void frequency_falls(struct target_round *burst, unsigned index) {
    uint64_t more = index % BURSTS < BURSTS / 2 ? 0 : 40; // 2 %
    burst->reference_before[1].ticks += more;
    burst->reference_after[1].ticks += more;
}

static void switch_in_some_bursts(struct target_round *burst, unsigned index) {
    burst->switches = 1; // as the kernel's count is of more than the timed runs
    if (index % 8 == 3)
        burst->code_long.ticks += 100ULL * GAP;
}

// Runs whose starts are known: a burst each 10,000 ticks. Behind a gap, which hits no run, code is slow once.
static void cold_behind_gaps(struct target_round *burst, unsigned index) {
    bool is_cold = index % 5 == 4;
    uint64_t start = 1 + (uint64_t)index * 10000 + (uint64_t)(index + 1) / 5 * GAP;
    burst->reference_before[0].start = start;
    burst->code_short.start = start + 3000;
    burst->reference_after[0].start = start + 7000;
    burst->code_long.ticks += is_cold ? 200 : 0;
    burst->reference_before[1].ticks += is_cold ? 200 : 0;
}

// The same, but a gap comes before each burst: then the cold runs are all that there is.
static void all_are_cold(struct target_round *burst, unsigned index) {
    cold_behind_gaps(burst, index);
    burst->code_long.ticks = START + 1ULL * LONG * CYCLES + 200;
    burst->code_short.start += (uint64_t)index * GAP * (index % 2 ? 1 : 3);
}

struct result {
    struct target_round rounds[ROUNDS];
    struct target_job job, burst;
};

static struct result run_with(void (*spoil)(struct target_round *, unsigned)) {
    static const struct target_ops ops = {.name = "bursts", .run = run};
    static const struct bench_code code = {.bodies = 1};
    struct burst_target target = {.target = {.ops = &ops, .ticks_per_second = 1e9, .timer_step = 1}, .spoil = spoil};
    // A gap every 50 µs, of 1 µs and more.
    struct bench bench = {.target = &target.target,
                          .gaps = {.seconds = 0.03, .n_spoiling = 600, .shortest_us = 1, .median_window_us = 48}};
    struct result result = {.job = {.code = &code,
                                    .reference = &code,
                                    .n_bursts = BURSTS,
                                    .divisor = 5,
                                    .wanted_ticks = 10000,
                                    .code_short = 1ULL * SHORT * BURSTS,
                                    .code_long = 1ULL * LONG * BURSTS,
                                    .reference_short = 1ULL * SHORT * BURSTS,
                                    .reference_long = 1ULL * LONG * BURSTS,
                                    .n_rounds = ROUNDS}};
    enum bench_outcome outcome;
    struct fail fail = {0};
    result.job.rounds = result.rounds;
    assert_true(bursts_run(&bench, &result.job, 1, &outcome, &fail));
    assert_int_equal(outcome, BENCH_OK);
    assert_int_equal(result.job.n_done, ROUNDS);
    result.burst = target.last;
    return result;
}

static void is_whole(const struct target_round *round) {
    assert_false(round->is_interrupted);
    assert_int_equal(round->code_short.ticks, BURSTS * (START + SHORT * CYCLES));
    assert_int_equal(round->code_long.ticks, BURSTS * (START + LONG * CYCLES));
    assert_int_equal(round->reference_before[1].ticks, BURSTS * (START + LONG));
    assert_int_equal(round->reference_after[0].ticks, BURSTS * (START + SHORT));
}

static void bursts_add_up(void **state) {
    (void)state;
    struct result result = run_with(leave);
    assert_int_equal(result.burst.n_rounds, ROUNDS * BURSTS);
    assert_int_equal(result.burst.code_long, LONG);
    assert_int_equal(result.burst.warmup_times, 5);
    assert_near(result.burst.wanted_ticks, 2000, 1e-9);
    assert_int_equal(result.job.code_long, LONG * BURSTS);
    for (unsigned i = 0; i < ROUNDS; i++)
        is_whole(&result.rounds[i]);
}

static void what_a_gap_hits_is_lost(void **state) {
    (void)state;
    struct result result = run_with(hit_some);
    for (unsigned i = 0; i < ROUNDS; i++)
        is_whole(&result.rounds[i]);
}

static void two_speeds_are_no_gaps(void **state) {
    (void)state;
    struct result result = run_with(two_speeds);
    is_whole(&result.rounds[0]);
    assert_false(result.rounds[1].is_interrupted);
    assert_int_equal(result.rounds[1].code_long.ticks, BURSTS * (START + LONG * CYCLES + GAP));
}

static void a_round_of_hit_bursts_is_interrupted(void **state) {
    (void)state;
    struct result result = run_with(all_hit_in_one_round);
    for (unsigned i = 0; i < ROUNDS; i++)
        assert_int_equal(result.rounds[i].is_interrupted, i == 2);
}

static void a_changing_frequency_shows(void **state) {
    (void)state;
    struct result result = run_with(frequency_falls);
    assert_int_equal(result.rounds[0].reference_before[1].ticks, BURSTS * (START + LONG));
    assert_int_equal(result.rounds[0].reference_after[1].ticks, BURSTS * (START + LONG + 40));
}

static void a_switch_is_a_gap(void **state) {
    (void)state;
    struct result result = run_with(switch_in_some_bursts);
    is_whole(&result.rounds[0]);
    assert_int_equal(result.rounds[0].switches, 0);
}

static void what_is_cold_behind_a_gap_is_lost(void **state) {
    (void)state;
    struct result result = run_with(cold_behind_gaps);
    for (unsigned i = 0; i < ROUNDS; i++)
        is_whole(&result.rounds[i]);
}

static void where_all_is_cold_it_counts(void **state) {
    (void)state;
    struct result result = run_with(all_are_cold);
    for (unsigned i = 0; i < ROUNDS; i++) {
        assert_false(result.rounds[i].is_interrupted);
        assert_int_equal(result.rounds[i].code_long.ticks, BURSTS * (START + LONG * CYCLES + 200));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_add_up),
        cmocka_unit_test(what_a_gap_hits_is_lost),
        cmocka_unit_test(two_speeds_are_no_gaps),
        cmocka_unit_test(a_round_of_hit_bursts_is_interrupted),
        cmocka_unit_test(a_changing_frequency_shows),
        cmocka_unit_test(a_switch_is_a_gap),
        cmocka_unit_test(what_is_cold_behind_a_gap_is_lost),
        cmocka_unit_test(where_all_is_cold_it_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
