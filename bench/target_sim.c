#include "bench/target_sim.h"

#include "analyzer/pipeline/pipeline.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A slow core, so that the harness, which aims at a fixed time per run, asks for few cycles: they are all
// simulated. The timer ticks at another rate than the core, as real ones do.
static const double CORE_HZ = 250e6, TICKS_PER_CYCLE = 0.585;
static const double TIMER_OVERHEAD_TICKS = 25;

// Cycles of a piece of code for a number of bodies, simulated once.
struct run {
    const uint8_t *body;
    uint64_t bodies, cycles;
};

struct target_sim {
    struct target target; // first: a target is also its head
    struct arena *arena;
    const struct backend *backend;
    struct backend_cpu *cpu;
    struct sim_noise noise;
    uint64_t random;
    double frequency; // of the core, relative to CORE_HZ
    struct run *runs;
    size_t n_runs;
};

// xorshift64*: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016.
static double random_unit(struct target_sim *sim) {
    sim->random ^= sim->random >> 12;
    sim->random ^= sim->random << 25;
    sim->random ^= sim->random >> 27;
    return (double)((sim->random * 0x2545F4914F6CDD1DULL) >> 11) / (double)(1ULL << 53);
}

// Irwin-Hall: the sum of 12 uniform numbers has variance 1.
static double random_normal(struct target_sim *sim) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(sim);
    return sum;
}

// `outcome` is BENCH_TIMEOUT where the code takes more than `most_cycles`.
static bool simulate(struct target_sim *sim, const struct bench_code *code, uint64_t bodies, uint64_t most_cycles,
                     struct run *run, enum bench_outcome *outcome, struct fail *fail) {
    for (size_t i = 0; i < sim->n_runs; i++) {
        *run = sim->runs[i];
        if (run->body == code->body && run->bodies == bodies)
            return true;
    }
    struct arena scratch = {0};
    struct block block;
    struct pipeline_options options = {.iterations = bodies, .max_cycles = most_cycles};
    struct pipeline_result result = {0};
    struct event_listener *none[] = {NULL};
    struct fail trouble = {0};
    bool is_done = sim->backend->describe_bytes(sim->cpu, &scratch, code->body, code->n_body_bytes, &block, &trouble) &&
                   pipeline_run(sim->backend->machine(sim->cpu), &block, &options, none, &result, &trouble);
    arena_free(&scratch);
    if (!is_done && result.cycles >= most_cycles) {
        *outcome = BENCH_TIMEOUT;
        return true;
    }
    if (!is_done) {
        *fail = trouble;
        return false;
    }
    *run = (struct run){code->body, bodies, result.cycles};
    sim->runs = arena_grow(sim->arena, sim->runs, sim->n_runs, sizeof *sim->runs);
    sim->runs[sim->n_runs++] = *run;
    return true;
}

static void wander(struct target_sim *sim) {
    double step = sim->noise.drift / 20;
    sim->frequency += step * random_normal(sim);
    sim->frequency = fmin(fmax(sim->frequency, 1 - sim->noise.drift), 1 + sim->noise.drift);
}

static uint64_t ticks_of(struct target_sim *sim, uint64_t cycles, unsigned *switches) {
    double ticks = (double)cycles * TICKS_PER_CYCLE / sim->frequency + TIMER_OVERHEAD_TICKS;
    ticks += sim->noise.jitter_ticks * random_normal(sim);
    if (random_unit(sim) < sim->noise.interrupt_share) {
        ticks += 500 + 4000 * random_unit(sim);
        *switches += random_unit(sim) < sim->noise.switch_share;
    }
    return ticks < 0 ? 0 : (uint64_t)llround(ticks);
}

static void make_round(struct target_sim *sim, const uint64_t cycles[4], struct target_round *round) {
    *round = (struct target_round){0};
    unsigned *switches = &round->switches;
    for (int i = 0; i < 2; i++)
        round->reference_before[i].ticks = ticks_of(sim, cycles[i], switches);
    round->code_short.ticks = ticks_of(sim, cycles[2], switches);
    round->code_long.ticks = ticks_of(sim, cycles[3], switches);
    for (int i = 0; i < 2; i++)
        round->reference_after[i].ticks = ticks_of(sim, cycles[i], switches);
    wander(sim);
}

static bool run(struct target *target, const struct target_job *job, struct target_round *rounds, unsigned *n_done,
                enum bench_outcome *outcome, struct fail *fail) {
    struct target_sim *sim = (struct target_sim *)target;
    const struct bench_code *code = job->code, *reference = job->reference;
    const struct {
        const struct bench_code *code;
        uint64_t iterations;
    } wanted[] = {{reference, job->reference_short},
                  {reference, job->reference_long},
                  {code, job->code_short},
                  {code, job->code_long}};
    uint64_t most_cycles = (uint64_t)(job->timeout_seconds * CORE_HZ), cycles[4];
    *outcome = BENCH_OK;
    *n_done = 0;
    for (int i = 0; i < 4; i++) {
        struct run run;
        if (!simulate(sim, wanted[i].code, wanted[i].iterations * wanted[i].code->bodies, most_cycles, &run, outcome,
                      fail))
            return false;
        if (*outcome != BENCH_OK)
            return true;
        cycles[i] = run.cycles;
    }
    for (unsigned i = 0; i < job->n_rounds; i++)
        make_round(sim, cycles, &rounds[i]);
    *n_done = job->n_rounds;
    return true;
}

static void close_sim(struct target *target) {
    (void)target;
}

struct target *target_sim_open(struct arena *arena, const struct backend *backend, struct backend_cpu *cpu,
                               const struct sim_noise *noise) {
    static const struct target_ops ops = {.name = "sim", .run = run, .close = close_sim};
    struct target_sim *sim = ARENA_NEW(arena, struct target_sim);
    *sim = (struct target_sim){
        .target = {.ops = &ops,
                   .description = arena_printf(arena, "sim:%s,noise=%s,seed=%llu", backend->machine(cpu)->cpu,
                                               noise->name, (unsigned long long)noise->seed),
                   .timer = "simulated",
                   .ticks_per_second = CORE_HZ * TICKS_PER_CYCLE,
                   .counters_note = "the simulated CPU has no counters",
                   .timer_step = 1},
        .arena = arena,
        .backend = backend,
        .cpu = cpu,
        .noise = *noise,
        .random = noise->seed * 2 + 1, // xorshift needs a state that is not 0
        .frequency = 1,
    };
    return &sim->target;
}

static bool parse_noise(const char *name, struct sim_noise *noise) {
    uint64_t seed = noise->seed;
    if (strcmp(name, "none") == 0)
        *noise = (struct sim_noise){.name = "none", .seed = seed};
    else if (strcmp(name, "vm") == 0) // about what an unprepared server VM shows
        *noise = (struct sim_noise){
            .name = "vm", .jitter_ticks = 3, .drift = 0.03, .interrupt_share = 0.01, .switch_share = 0.5, .seed = seed};
    else
        return false;
    return true;
}

bool sim_spec_parse(struct arena *arena, const char *text, struct sim_spec *spec, struct fail *fail) {
    struct slice rest = {text, strlen(text)}, piece;
    *spec = (struct sim_spec){.noise = {.seed = 1}};
    parse_noise("vm", &spec->noise);
    slice_next(&rest, ',', &piece);
    spec->cpu = arena_copy(arena, piece.data, piece.length);
    if (!*spec->cpu)
        return fail_set(fail, FAIL_INPUT, "which CPU? Write sim:CPU, as in sim:skylake-avx512");
    while (slice_next(&rest, ',', &piece)) {
        const char *word = arena_copy(arena, piece.data, piece.length);
        char *end = NULL;
        bool is_good = false;
        if (strncmp(word, "noise=", 6) == 0) {
            is_good = parse_noise(word + 6, &spec->noise);
        } else if (strncmp(word, "seed=", 5) == 0) {
            spec->noise.seed = strtoull(word + 5, &end, 10);
            is_good = end != word + 5 && *end == '\0';
        }
        if (!is_good)
            return fail_set(fail, FAIL_INPUT,
                            "'%s' is not understood: after sim:CPU come noise=none or noise=vm, and seed=N", word);
    }
    return true;
}
