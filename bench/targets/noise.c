#include "bench/targets/noise.h"

#include <math.h>

static const double timer_overhead_ticks = 25;
static const double counter_overhead_cycles = 200, counter_overhead_instructions = 30;
static const double process_start_ns = 1e6, between_executions_ns = 100;
static const double usual_scatter = 0.2; // relative scatter of a neighbour's effect

// Successive seeds must give different numbers: splitmix64, G. Steele et al., "Fast splittable pseudorandom number
// generators", OOPSLA 2014.
static uint64_t scramble(uint64_t seed) {
    uint64_t z = seed + 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

// xorshift64*: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016.
static double random_unit(struct noise *noise) {
    noise->random ^= noise->random >> 12;
    noise->random ^= noise->random << 25;
    noise->random ^= noise->random >> 27;
    return (double)((noise->random * 0x2545F4914F6CDD1DU) >> 11) / (double)(1ULL << 53);
}

// Irwin-Hall: the sum of 12 uniform numbers has variance 1.
static double random_normal(struct noise *noise) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(noise);
    return sum;
}

static double random_exponential(struct noise *noise, double mean) {
    return -mean * log(1 - random_unit(noise));
}

// Returns the time of the next random event, of which there are `hz` per second; infinite where `hz` is 0.
static double next_event_ns(struct noise *noise, double hz) {
    return hz > 0 ? noise->now_ns + random_exponential(noise, 1e9 / hz) : INFINITY;
}

// Returns `mean` with the scatter of the gaps' lengths and distances.
static double random_about(struct noise *noise, double mean) {
    return mean * (1 + noise->spec.preempt_jitter * (2 * random_unit(noise) - 1));
}

// Takes the CPU away at the time of the next gap, and sets when it is taken away again: that is nearly regular.
static void preempt(struct noise *noise) {
    static const double shortest_window_ns = 50;
    double start_ns = noise->next_preempt_ns, gap_ns = random_about(noise, noise->spec.preempt_us * 1e3);
    noise->now_ns += gap_ns;
    noise->n_gaps++;
    noise->next_preempt_ns =
        fmax(start_ns + random_about(noise, 1e9 / noise->spec.preempt_hz), start_ns + gap_ns + shortest_window_ns);
}

// Lets the gaps of a time pass in which nothing is timed. What happened in a long one does not matter.
static void pass_gaps(struct noise *noise) {
    static const double long_ns = 1e6;
    if (noise->next_preempt_ns < noise->now_ns - long_ns)
        noise->next_preempt_ns = noise->now_ns + random_unit(noise) * 1e9 / noise->spec.preempt_hz;
    while (noise->next_preempt_ns <= noise->now_ns)
        preempt(noise);
}

static void next_neighbour(struct noise *noise) {
    const struct noise_spec *spec = &noise->spec;
    noise->is_neighbour_busy = !noise->is_neighbour_busy;
    double busy_ns = spec->neighbour_ms * 1e6, share = spec->neighbour_share;
    double mean_ns = noise->is_neighbour_busy ? busy_ns : busy_ns * (1 - share) / share;
    noise->neighbour_until_ns = noise->now_ns + random_exponential(noise, mean_ns);
}

static void start_neighbour(struct noise *noise) {
    double share = noise->spec.neighbour_share;
    noise->neighbour_until_ns = INFINITY;
    noise->is_neighbour_busy = share >= 1;
    if (share <= 0 || share >= 1)
        return;
    noise->is_neighbour_busy = // next_neighbour inverts it
        random_unit(noise) >= share && noise->spec.neighbour_first <= 0;
    next_neighbour(noise);
}

struct noise noise_new(const struct noise_spec *spec, double core_hz, double timer_hz) {
    struct noise noise = {
        .spec = *spec,
        .core_hz = core_hz,
        .timer_hz = timer_hz,
        .random = scramble(spec->seed) | 1, // xorshift needs a state that is not 0
        .frequency = 1,
        .process_factor = 1,
    };
    noise.next_interrupt_ns = next_event_ns(&noise, spec->interrupt_hz);
    noise.next_steal_ns = next_event_ns(&noise, spec->steal_hz);
    noise.next_step_ns = next_event_ns(&noise, spec->step_hz);
    noise.next_preempt_ns = next_event_ns(&noise, spec->preempt_hz);
    start_neighbour(&noise);
    return noise;
}

uint64_t noise_timer_step(const struct noise *noise) {
    return (uint64_t)fmax(1, round(noise->spec.timer_ns * noise->timer_hz / 1e9));
}

static void step_frequency(struct noise *noise) {
    noise->frequency = 1 - noise->spec.step_share * random_unit(noise);
    noise->next_step_ns = next_event_ns(noise, noise->spec.step_hz);
}

// Moves the frequency by a random walk, a twentieth of its range in 100 µs.
static void wander(struct noise *noise, double ns) {
    double drift = noise->spec.drift;
    if (drift <= 0)
        return;
    noise->frequency += drift / 20 * sqrt(ns / 1e5) * random_normal(noise);
    noise->frequency = fmin(fmax(noise->frequency, 1 - drift), 1 + drift);
}

// Lets time pass in which nothing is timed.
static void pass(struct noise *noise, double ns) {
    noise->now_ns += ns;
    if (noise->next_step_ns <= noise->now_ns)
        step_frequency(noise);
    wander(noise, ns);
    while (noise->neighbour_until_ns <= noise->now_ns)
        next_neighbour(noise);
    if (noise->next_interrupt_ns <= noise->now_ns)
        noise->next_interrupt_ns = next_event_ns(noise, noise->spec.interrupt_hz);
    if (noise->next_steal_ns <= noise->now_ns)
        noise->next_steal_ns = next_event_ns(noise, noise->spec.steal_hz);
    pass_gaps(noise);
}

// Lets that many cycles pass, during which the frequency may jump.
static void execute_cycles(struct noise *noise, double cycles) {
    for (;;) {
        double cycle_ns = 1e9 / (noise->core_hz * noise->frequency);
        double left = (noise->next_step_ns - noise->now_ns) / cycle_ns;
        if (left >= cycles) {
            noise->now_ns += cycles * cycle_ns;
            return;
        }
        cycles -= left;
        noise->now_ns = noise->next_step_ns;
        step_frequency(noise);
    }
}

// Adds the interrupts and stolen time of an execution. Each makes it longer, so more may follow.
static void interrupt(struct noise *noise, struct target_round *round) {
    const struct noise_spec *spec = &noise->spec;
    while (noise->next_interrupt_ns <= noise->now_ns) {
        noise->now_ns += spec->interrupt_us * 1e3 * (0.1 + 1.8 * random_unit(noise));
        round->switches += random_unit(noise) < spec->interrupt_seen;
        noise->next_interrupt_ns = next_event_ns(noise, spec->interrupt_hz);
    }
    while (noise->next_steal_ns <= noise->now_ns) {
        double stolen_ns = random_exponential(noise, spec->steal_us * 1e3);
        noise->now_ns += stolen_ns;
        if (random_unit(noise) < spec->steal_seen)
            round->stolen_ns += (uint64_t)ceil(stolen_ns);
        noise->next_steal_ns = next_event_ns(noise, spec->steal_hz);
    }
    while (noise->next_preempt_ns <= noise->now_ns)
        preempt(noise);
}

// Kind of executed code. A neighbour slows each kind by its own factor. Speeds of processes and rounds affect only
// WORK_CODE.
enum work { WORK_ADDS, WORK_PRODUCTS, WORK_CODE };

static double neighbour_factor(struct noise *noise, enum work work, unsigned uses) {
    const struct noise_spec *spec = &noise->spec;
    if (!noise->is_neighbour_busy)
        return 1;
    double factor = work == WORK_ADDS       ? spec->neighbour_add
                    : work == WORK_PRODUCTS ? spec->neighbour_product
                                            : spec->neighbour_code;
    for (unsigned i = 0; i < BENCH_N_USES && work == WORK_CODE; i++)
        if (uses & 1U << i)
            factor = fmax(factor, spec->neighbour_uses[i]);
    double scatter = spec->neighbour_scatter > 0 ? spec->neighbour_scatter : usual_scatter;
    return fmax(1, 1 + (factor - 1) * (1 + scatter * random_normal(noise)));
}

static uint64_t count(struct noise *noise, double truth) {
    double share = noise->spec.counter_share;
    if (share < 1) // the kernel scales up counts of a part of the time
        truth *= 1 + (1 - share) * 0.1 * random_normal(noise);
    return (uint64_t)llround(fmax(0, truth));
}

static void read_counters(struct noise *noise, double cycles, double instructions, struct target_sample *sample) {
    const struct noise_spec *spec = &noise->spec;
    if (spec->counter_factor <= 0)
        return;
    sample->counters[0] = count(noise, (cycles + counter_overhead_cycles) * spec->counter_factor);
    sample->counters[1] = count(noise, instructions * (1 + spec->counter_extra) + counter_overhead_instructions);
}

static struct target_sample execute(struct noise *noise, enum work work, unsigned uses, double cycles,
                                    double instructions, struct target_round *round) {
    struct target_sample sample = {0};
    double tick_ns = 1e9 / noise->timer_hz, step_ns = (double)noise_timer_step(noise) * tick_ns;
    pass(noise, between_executions_ns * (1 + random_unit(noise)));
    cycles *= neighbour_factor(noise, work, uses);
    double start_ns = noise->now_ns;
    sample.start = 1 + (uint64_t)(start_ns / tick_ns);
    execute_cycles(noise, cycles);
    interrupt(noise, round);
    wander(noise, noise->now_ns - start_ns);
    double end_ns = noise->now_ns + timer_overhead_ticks * tick_ns + noise->spec.jitter_ns * random_normal(noise);
    double steps = floor(end_ns / step_ns) - floor(start_ns / step_ns);
    sample.ticks = steps > 0 ? (uint64_t)(steps * (double)noise_timer_step(noise)) : 0;
    read_counters(noise, cycles, instructions, &sample);
    return sample;
}

void noise_wait(struct noise *noise, double ns) {
    pass(noise, ns);
}

// The loop computes without a stop, so all that it can notice are the times of the next gaps.
void noise_watch(struct noise *noise, struct target_watch *watch) {
    double start_ns = noise->now_ns, end_ns = start_ns + watch->seconds * 1e9;
    double step_ns = (double)noise_timer_step(noise) * 1e9 / noise->timer_hz;
    struct target_round round = {0};
    watch->n_gaps = 0;
    watch->resolution_ns = fmax(TARGET_SHORTEST_GAP_NS, 2 * step_ns);
    for (;;) {
        double next_ns =
            fmin(noise->next_preempt_ns, fmin(noise->next_interrupt_ns, fmin(noise->next_steal_ns, end_ns)));
        if (next_ns > noise->now_ns) {
            double ns = next_ns - noise->now_ns;
            execute_cycles(noise, ns * noise->core_hz * noise->frequency / 1e9);
            wander(noise, ns);
        }
        noise->now_ns = fmax(next_ns, noise->now_ns);
        if (noise->now_ns >= end_ns || watch->n_gaps == watch->most_gaps)
            break;
        double gap_ns = noise->now_ns;
        interrupt(noise, &round);
        struct target_gap gap = {gap_ns - start_ns, noise->now_ns - gap_ns};
        if (gap.ns >= watch->resolution_ns)
            watch->gaps[watch->n_gaps++] = gap;
    }
    watch->seconds = (noise->now_ns - start_ns) / 1e9;
    pass(noise, 0); // what changed meanwhile
}

void noise_start_process(struct noise *noise) {
    const struct noise_spec *spec = &noise->spec;
    pass(noise, process_start_ns);
    noise->process_factor = 1 + spec->spread * random_normal(noise);
    if (random_unit(noise) < spec->layout_share)
        noise->process_factor *= spec->layout_factor;
}

static double instructions_of(const struct bench_code *code, uint64_t iterations) {
    double in_bodies = (double)code->bodies * code->body_instructions;
    return (double)iterations * (code->iteration_instructions ? (double)code->iteration_instructions : in_bodies);
}

// What a round executes. A gap makes all of it cold.
enum place { PLACE_REFERENCE, PLACE_CODE, PLACE_CHECKS }; // PLACE_CHECKS: the first of them

// Returns how many cycles the first run after a gap takes longer than others, 0 for the others.
static double cold_cycles(struct noise *noise, unsigned place) {
    bool is_cold = noise->warm_at[place] != noise->n_gaps;
    noise->warm_at[place] = noise->n_gaps;
    return is_cold ? noise->spec.preempt_cold_us / 1e6 * noise->core_hz : 0;
}

// Some code of a round.
struct part {
    enum work work;
    unsigned place; // enum place, and behind it the number of a check
    const struct bench_code *code;
    double factor; // of its cycles
};

// Executes the short run and the long one.
static void execute_pair(struct noise *noise, const struct part *part, const double cycles[2],
                         const uint64_t iterations[2], struct target_round *round, struct target_sample samples[2]) {
    for (int i = 0; i < 2; i++)
        samples[i] =
            execute(noise, part->work, part->code->uses, cycles[i] * part->factor + cold_cycles(noise, part->place),
                    instructions_of(part->code, iterations[i]), round);
}

static void execute_checks(struct noise *noise, bool is_first, const struct target_job *job,
                           const struct noise_cycles *cycles, struct target_round *round) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct target_check *check = &job->checks[i];
        const uint64_t iterations[2] = {check->n_short, check->n_long};
        if (target_check_is_first((enum bench_check)i) != is_first || !check->n_long || !check->code)
            continue;
        const struct part part = {i == CHECK_MULTIPLY ? WORK_PRODUCTS : WORK_CODE, PLACE_CHECKS + i, check->code, 1};
        execute_pair(noise, &part, cycles->checks[i], iterations, round, round->checks[i]);
    }
}

// Returns the kind of a job's code. Calibration measures the chains like any code.
static enum work work_of(const struct target_job *job) {
    const struct target_check *multiply = &job->checks[CHECK_MULTIPLY];
    if (job->code->body == job->reference->body)
        return WORK_ADDS;
    return multiply->code && job->code->body == multiply->code->body ? WORK_PRODUCTS : WORK_CODE;
}

void noise_round(struct noise *noise, const struct target_job *job, const struct noise_cycles *cycles,
                 struct target_round *round) {
    const struct bench_code *reference = job->reference, *code = job->code;
    const uint64_t reference_iterations[2] = {job->reference_short, job->reference_long};
    const uint64_t code_iterations[2] = {job->code_short, job->code_long};
    enum work work = work_of(job);
    double factor = work == WORK_CODE ? noise->process_factor : 1;
    struct target_sample code_samples[2];
    if (work == WORK_CODE && random_unit(noise) < noise->spec.state_share)
        factor *= noise->spec.state_factor;
    *round = (struct target_round){0};
    const struct part adds = {WORK_ADDS, PLACE_REFERENCE, reference, 1}, own = {work, PLACE_CODE, code, factor};
    execute_pair(noise, &adds, cycles->reference, reference_iterations, round, round->reference_before);
    execute_checks(noise, true, job, cycles, round);
    execute_pair(noise, &own, cycles->code, code_iterations, round, code_samples);
    execute_checks(noise, false, job, cycles, round);
    execute_pair(noise, &adds, cycles->reference, reference_iterations, round, round->reference_after);
    round->code_short = code_samples[0];
    round->code_long = code_samples[1];
    round->corunner = (struct target_corunner){
        .bodies = cycles->corunner_bodies[1] - cycles->corunner_bodies[0],
        .ticks = (double)code_samples[1].ticks - (double)code_samples[0].ticks,
        .is_whole = true,
    };
}
