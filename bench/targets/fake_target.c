#include "bench/targets/fake_target.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static double uniform(struct fake_target *fake) {
    fake->seed ^= fake->seed >> 12;
    fake->seed ^= fake->seed << 25;
    fake->seed ^= fake->seed >> 27;
    return (double)((fake->seed * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

static double normal(struct fake_target *fake) {
    double radius = sqrt(-2 * log(1 - uniform(fake)));
    return radius * cos(6.283185307179586 * uniform(fake));
}

static struct target_sample execute(struct fake_target *fake, double cycles, uint64_t bodies) {
    struct target_sample sample = {0};
    double n_cycles = cycles * (double)bodies, step = (double)fake->target.timer_step;
    fake->ticks_per_cycle *= 1 + fake->drift * normal(fake);
    if (fake->drift > 0) // real frequencies have limits, too
        fake->ticks_per_cycle = fmin(1.4, fmax(0.35, fake->ticks_per_cycle));
    double ticks = n_cycles * fake->ticks_per_cycle + fake->overhead_ticks + fake->noise_ticks * normal(fake);
    if (uniform(fake) < fake->interrupt_share)
        ticks += fake->interrupt_ticks;
    fake->now_ns += fmax(ticks, 0) / fake->target.ticks_per_second * 1e9;
    double start = uniform(fake) * step; // start within a step of the timer
    sample.ticks = (uint64_t)(floor((start + fmax(ticks, 0)) / step) * step);
    sample.counters[0] = (uint64_t)llround(n_cycles * (fake->counter_factor > 0 ? fake->counter_factor : 1) + 200);
    sample.counters[1] = bodies + 30 + (fake->overcount_share > 0 && uniform(fake) < fake->overcount_share);
    return sample;
}

static double reference_cycles(struct fake_target *fake) {
    double slowed = fake->reference_slowed > 0 ? -fake->reference_slowed * log(1 - uniform(fake)) : 0;
    return fake->reference_cycles * (1 + slowed);
}

static double chain_cycles(struct fake_target *fake, const struct bench_code *code, bool has_neighbour) {
    if (code->bytes[0] == 'm')
        return fake->multiply_cycles * (fake->multiply_slowed > 0 ? fake->multiply_slowed : 1);
    if (code->bytes[0] == 'k')
        return 9 * (1 + fake->state_slowed);
    return fake->issue_cycles * (has_neighbour ? fake->neighbour_slows : 1);
}

static double cycles_of(struct fake_target *fake, const struct bench_code *code) {
    if (code->bytes[0] == 'r')
        return fake->reference_cycles;
    if (code->bytes[0] == 'm')
        return fake->multiply_cycles;
    if (code->bytes[0] == 'i')
        return fake->issue_cycles;
    if (isdigit(code->bytes[0]))
        return code->bytes[0] - '0';
    double cycles = uniform(fake) < fake->second_mode_share ? fake->second_mode_cycles : fake->code_cycles;
    cycles *= (1 + fake->process_slowed) * (1 + fake->state_slowed);
    return cycles * fmax(0.1, 1 + fake->code_spread * normal(fake));
}

// Sets the counts of the events in the job's group.
static void count_events(const struct fake_target *fake, const struct target_job *job, struct target_round *round) {
    unsigned first = 0;
    for (unsigned i = 0; i < job->group; i++)
        first += fake->target.groups[i].n_events;
    for (unsigned i = 0; i < fake->target.groups[job->group].n_events; i++) {
        double per_iteration = fake->events[first + i] * job->code->bodies;
        unsigned counter = TARGET_FIXED_COUNTERS + i;
        round->code_short.counters[counter] = (uint64_t)llround(per_iteration * (double)job->code_short + 7);
        round->code_long.counters[counter] = (uint64_t)llround(per_iteration * (double)job->code_long + 7);
    }
}

static struct target_round one_round(struct fake_target *fake, const struct target_job *job) {
    struct target_round round = {0};
    bool has_neighbour = uniform(fake) < fake->neighbour_share;
    bool is_chain = strchr("rm", job->code->bytes[0]) != NULL; // neighbours hardly slow these
    double code_cycles = cycles_of(fake, job->code) * (has_neighbour && !is_chain ? fake->neighbour_slows : 1);
    const uint64_t reference[2] = {job->reference_short * job->reference->bodies,
                                   job->reference_long * job->reference->bodies};
    for (unsigned i = 0; i < 2; i++)
        round.reference_before[i] = execute(fake, reference_cycles(fake), reference[i]);
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct target_check *check = &job->checks[i];
        if (!check->n_long)
            continue;
        double cycles = chain_cycles(fake, check->code, has_neighbour);
        round.checks[i][0] = execute(fake, cycles, check->n_short * check->code->bodies);
        round.checks[i][1] = execute(fake, cycles, check->n_long * check->code->bodies);
    }
    round.code_short = execute(fake, code_cycles, job->code_short * job->code->bodies);
    round.code_long = execute(fake, code_cycles, job->code_long * job->code->bodies);
    count_events(fake, job, &round);
    for (unsigned i = 0; i < 2; i++)
        round.reference_after[i] = execute(fake, reference_cycles(fake), reference[i]);
    if (job->corunner)
        round.corunner = (struct target_corunner){1000, 1000 * fake->corunner_cycles * fake->ticks_per_cycle, true};
    round.switches = uniform(fake) < fake->switch_share;
    round.stolen_ns = uniform(fake) < fake->steal_share ? 50000 : 0;
    round.faults = uniform(fake) < fake->fault_share;
    return round;
}

static enum bench_outcome run_job(struct fake_target *fake, struct target_job *job) {
    char kind = (char)job->code->bytes[0];
    bool is_other = !strchr("rmi", kind);
    double seconds = fake->second_per_body * (double)(job->code_long * job->code->bodies) * job->n_rounds;
    double start_ns = fake->now_ns;
    job->seen = (struct bench_seen){0};
    if (fake->target.can_choose && !job->code_long) {
        job->seen.most_iterations = is_other ? fake->most_iterations : 0;
        job->code_long = fake->chosen_long;
        job->code_short = fake->chosen_long / 4;
    }
    enum bench_outcome outcome = kind == 'u' ? BENCH_SIGILL : is_other ? fake->outcome : BENCH_OK;
    if (is_other && seconds > job->timeout_seconds)
        outcome = BENCH_TIMEOUT;
    job->n_done = outcome == BENCH_OK ? job->n_rounds : 0;
    fake->n_runs_of_other_code += is_other;
    bool is_lost = is_other && fake->n_runs_of_other_code == fake->lost_process;
    fake->process_slowed = fake->process_spread > 0 ? fake->process_spread * uniform(fake) : 0;
    if (is_other && fake->n_runs_of_other_code == fake->faster_process)
        fake->process_slowed = -0.015;
    if (is_other && fake->slower_share > 0 && uniform(fake) < fake->slower_share)
        fake->process_slowed = 0.9;
    for (unsigned i = 0; i < job->n_done; i++) {
        job->rounds[i] = one_round(fake, job);
        job->rounds[i].switches |= is_lost;
    }
    job->ns = (uint64_t)(fake->now_ns - start_ns);
    return outcome;
}

static bool run(struct target *target, struct target_job *jobs, unsigned n_jobs, enum bench_outcome *outcome,
                struct fail *fail) {
    (void)fail;
    struct fake_target *fake = (struct fake_target *)target;
    fake->n_runs++;
    fake->now_ns += fake->process_ns;
    *outcome = BENCH_OK;
    for (unsigned i = 0; i < n_jobs && *outcome == BENCH_OK; i++)
        *outcome = run_job(fake, &jobs[i]);
    if (*outcome != BENCH_OK)
        fake->now_ns += fake->crash_ns;
    fake->last_job = jobs[0];
    fake->last_n_jobs = n_jobs;
    return true;
}

static uint64_t now_ns(struct target *target) {
    return (uint64_t)((struct fake_target *)target)->now_ns;
}

static void let_pass(struct target *target, uint64_t ns) {
    ((struct fake_target *)target)->now_ns += (double)ns;
}

struct fake_target fake_target_quiet(void) {
    static const struct target_ops ops = {.name = "fake", .run = run, .now_ns = now_ns, .wait = let_pass};
    return (struct fake_target){
        .target = {.ops = &ops, .description = "fake", .timer = "fake", .ticks_per_second = 2.6e9, .timer_step = 1},
        .seed = 1,
        .reference_cycles = 1,
        .multiply_cycles = 3,
        .issue_cycles = 0.25,
        .code_cycles = 4,
        .ticks_per_cycle = 0.7,
        .overhead_ticks = 60,
    };
}
