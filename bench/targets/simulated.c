#include "bench/targets/simulated.h"

#include "analyzer/cpu/recipe.h"
#include "analyzer/sim/mca/corun.h"
#include "analyzer/sim/mca/mca.h"
#include "base/text.h"
#include "bench/targets/simulated_core.h"
#include "bench/targets/simulated_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Frequency of the core: low, because the harness aims at a fixed time per run, and each cycle is simulated. The timer
// has another rate than the core, as real ones do.
static const double CORE_HZ = 250e6, TICKS_PER_CYCLE = 0.585;

// Cycles of a piece of code for a number of bodies, simulated once.
struct simulated_run {
    const uint8_t *body, *corunner; // beside: the co-runner's body; null: no co-runner
    uint64_t bodies, cycles;
    bool is_illegal;        // the CPU does not execute it
    double corunner_bodies; // bodies of the co-runner in those cycles
    const uint64_t *events; // counts of the target's events
};

struct target_sim {
    struct target target; // first: callers hold a pointer to it
    struct arena *arena;
    const struct model *model;
    unsigned slow_cycles; // as in struct sim_spec
    struct noise noise;
    struct sim_events events;
    struct simulated_run *runs;
    size_t n_runs;
};

static const uint8_t *body_of(const struct bench_code *code) {
    return code ? code->body : NULL;
}

// Whether the code's loads in rings are slow.
static bool is_slow(const struct bench_code *code) {
    return code->chase.are_steps && code->chase.layout != BENCH_CHASE_PAGES && code->chase.bytes >= SIM_SLOW_BYTES;
}

// Makes the steps of chases slow where their rings are large.
static void slow_steps(struct arena *arena, const struct bench_code *code, unsigned cycles, struct block *block) {
    if (!is_slow(code))
        return;
    struct insn *insns = ARENA_ARRAY(arena, struct insn, block->n_insns);
    memcpy(insns, block->insns, block->n_insns * sizeof *insns);
    for (unsigned i = 0; i < block->n_insns && i < code->body_instructions; i++) {
        struct insn *insn = &insns[i];
        if (!code->chase.are_steps[i] || !insn->may_load)
            continue;
        struct sched_insn *cost = ARENA_NEW(arena, struct sched_insn);
        struct sched_write *writes = ARENA_ARRAY(arena, struct sched_write, insn->n_writes);
        memcpy(writes, insn->cost->writes, insn->n_writes * sizeof *writes);
        for (unsigned w = 0; w < insn->n_writes; w++)
            writes[w].latency = cycles;
        *cost = *insn->cost;
        cost->writes = writes;
        cost->latency = cycles;
        insn->cost = cost;
    }
    block->insns = insns;
}

static bool describe(const struct model *model, struct arena *arena, const struct bench_code *code, struct block *block,
                     struct fail *fail) {
    return model_describe_part(model, arena, code->bytes, (size_t)(code->body - code->bytes), code->n_body_bytes, block,
                               fail);
}

// Simulates the code, or code and co-runner on two threads. Sets the cycles and the co-runner's bodies of `run`.
static bool execute(const struct target_sim *sim, const struct bench_code *code, const struct bench_code *corunner,
                    const struct pipeline_options *options, struct event_listener *const *listeners,
                    struct simulated_run *run, struct fail *fail) {
    const struct model *model = sim->model;
    struct arena scratch = {0};
    struct block blocks[CORUN_THREADS];
    const struct execution *const both[CORUN_THREADS] = {EXECUTION_OF(&blocks[0]), EXECUTION_OF(&blocks[1])};
    struct pipeline_result alone = {0};
    struct corun_result result = {0};
    bool is_done = describe(model, &scratch, code, &blocks[0], fail);
    run->is_illegal = is_done && model->own && !cpu_executes_block(model->own, &blocks[0], fail);
    is_done &= !run->is_illegal;
    if (is_done && !model->own)
        slow_steps(&scratch, code, sim->slow_cycles, &blocks[0]);
    if (is_done && corunner && model->own) {
        is_done = fail_set(fail, FAIL_INPUT, "the core of a CPU file has one thread: it runs no co-runner");
    } else if (is_done && corunner) {
        is_done = describe(model, &scratch, corunner, &blocks[1], fail) &&
                  corun_run(model->machine, both, options, listeners, &result, fail);
        run->cycles = result.cycles;
        run->corunner_bodies = is_done ? (double)result.instructions[1] / blocks[1].n_insns : 0;
    } else if (is_done) {
        is_done = model->own ? simulated_core_run(model, code, &blocks[0], is_slow(code) ? sim->slow_cycles : 0,
                                                  options, &alone, fail)
                             : mca_core_run(model->machine, both[0], options, listeners, &alone, fail);
        run->cycles = alone.cycles;
    }
    arena_free(&scratch);
    return is_done;
}

// Simulates a number of bodies, or finds the earlier result. `outcome` is BENCH_TIMEOUT where the code takes more than
// `most_cycles` (0: no limit), BENCH_SIGILL where the CPU does not execute it.
static bool simulate(struct target_sim *sim, const struct bench_code *code, const struct bench_code *corunner,
                     uint64_t bodies, uint64_t most_cycles, struct simulated_run *run, enum bench_outcome *outcome,
                     struct fail *fail) {
    for (size_t i = 0; i < sim->n_runs; i++) {
        *run = sim->runs[i];
        if (run->body == code->body && run->corunner == body_of(corunner) && run->bodies == bodies)
            return true;
    }
    *run = (struct simulated_run){.body = code->body, .corunner = body_of(corunner), .bodies = bodies};
    struct pipeline_options options = {.iterations = bodies, .max_cycles = most_cycles};
    struct sim_event_counter counter;
    struct event_listener *listeners[] = {sim->events.n ? &counter.listener : NULL, NULL};
    sim_event_counter_start(&counter, &sim->events);
    struct fail trouble = {0};
    bool is_done = execute(sim, code, corunner, &options, listeners, run, &trouble);
    if (!is_done && (run->is_illegal || (most_cycles > 0 && run->cycles >= most_cycles))) {
        *outcome = run->is_illegal ? BENCH_SIGILL : BENCH_TIMEOUT;
        return true;
    }
    if (!is_done) {
        *fail = trouble;
        return false;
    }
    uint64_t *events = ARENA_ARRAY(sim->arena, uint64_t, sim->events.n + 1);
    memcpy(events, counter.counts, sim->events.n * sizeof *events);
    run->events = events;
    sim->runs = arena_grow(sim->arena, sim->runs, sim->n_runs, sizeof *sim->runs);
    sim->runs[sim->n_runs++] = *run;
    return true;
}

// Simulates all code of one round of the job. `outcome` is BENCH_TIMEOUT where some code takes too long. Fails where
// the simulation fails.
static bool simulate_round(struct target_sim *sim, const struct target_job *job, struct noise_cycles *cycles,
                           enum bench_outcome *outcome, struct fail *fail) {
    struct {
        const struct bench_code *code, *corunner;
        uint64_t iterations[2];
        double *cycles;
    } pieces[2 + BENCH_N_CHECKS] = {
        {job->reference, NULL, {job->reference_short, job->reference_long}, cycles->reference},
        {job->code, job->corunner, {job->code_short, job->code_long}, cycles->code},
    };
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct target_check *check = &job->checks[i];
        pieces[2 + i].code = check->code;
        pieces[2 + i].iterations[0] = check->n_short;
        pieces[2 + i].iterations[1] = check->n_long;
        pieces[2 + i].cycles = cycles->checks[i];
    }
    uint64_t most_cycles = (uint64_t)(job->timeout_seconds * CORE_HZ);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        for (unsigned is_long = 0; is_long < 2 && pieces[i].iterations[1]; is_long++) {
            struct simulated_run run = {0};
            if (!simulate(sim, pieces[i].code, pieces[i].corunner,
                          pieces[i].iterations[is_long] * pieces[i].code->bodies, most_cycles, &run, outcome, fail))
                return false;
            if (*outcome != BENCH_OK)
                return true;
            pieces[i].cycles[is_long] = (double)run.cycles;
            if (pieces[i].corunner)
                cycles->corunner_bodies[is_long] = run.corunner_bodies;
        }
    }
    return true;
}

// Sets the counts of the events in the job's group, without noise.
static bool put_events(struct target_sim *sim, const struct target_job *job, struct target_round *round,
                       enum bench_outcome *outcome, struct fail *fail) {
    const uint64_t iterations[2] = {job->code_short, job->code_long};
    struct target_sample *samples[2] = {&round->code_short, &round->code_long};
    unsigned first = 0;
    for (unsigned i = 0; i < job->group; i++)
        first += sim->target.groups[i].n_events;
    for (unsigned is_long = 0; is_long < 2; is_long++) {
        struct simulated_run run = {0};
        if (!simulate(sim, job->code, job->corunner, iterations[is_long] * job->code->bodies, 0, &run, outcome, fail))
            return false;
        if (*outcome != BENCH_OK)
            return true;
        for (unsigned i = 0; i < sim->target.groups[job->group].n_events; i++)
            samples[is_long]->counters[TARGET_FIXED_COUNTERS + i] = run.events[first + i];
    }
    return true;
}

static bool run_job(struct target_sim *sim, struct target_job *job, enum bench_outcome *outcome, struct fail *fail) {
    struct noise_cycles cycles = {0};
    double start_ns = sim->noise.now_ns;
    job->n_done = 0;
    if (!simulate_round(sim, job, &cycles, outcome, fail))
        return false;
    if (*outcome != BENCH_OK)
        return true;
    for (unsigned i = 0; i < job->n_rounds; i++) {
        noise_round(&sim->noise, job, &cycles, &job->rounds[i]);
        if (sim->events.n && !put_events(sim, job, &job->rounds[i], outcome, fail))
            return false;
    }
    job->n_done = job->n_rounds;
    job->ns = (uint64_t)(sim->noise.now_ns - start_ns);
    return true;
}

static bool run(struct target *target, struct target_job *jobs, unsigned n_jobs, enum bench_outcome *outcome,
                struct fail *fail) {
    struct target_sim *sim = (struct target_sim *)target;
    *outcome = BENCH_OK;
    noise_start_process(&sim->noise);
    for (unsigned i = 0; i < n_jobs && *outcome == BENCH_OK; i++)
        if (!run_job(sim, &jobs[i], outcome, fail))
            return false;
    return true;
}

static uint64_t now_ns(struct target *target) {
    return (uint64_t)((struct target_sim *)target)->noise.now_ns;
}

static bool watch_gaps(struct target *target, struct target_watch *watch, struct fail *fail) {
    (void)fail;
    noise_watch(&((struct target_sim *)target)->noise, watch);
    return true;
}

static void let_pass(struct target *target, uint64_t ns) {
    noise_wait(&((struct target_sim *)target)->noise, (double)ns);
}

const char *sim_spec_text(struct arena *arena, const struct sim_spec *spec) {
    const char *usual = arena_printf(arena, "sim:%s,noise=%s,seed=%llu", spec->cpu, spec->noise_text,
                                     (unsigned long long)spec->noise.seed);
    return spec->slow_cycles == SIM_SLOW_CYCLES ? usual : arena_printf(arena, "%s,slow=%u", usual, spec->slow_cycles);
}

struct target *target_sim_open(struct arena *arena, const struct model *model, const struct sim_spec *spec,
                               const struct target_request *request, struct fail *fail) {
    static const struct target_ops ops = {
        .name = "sim", .run = run, .watch = watch_gaps, .now_ns = now_ns, .wait = let_pass};
    struct target_sim *sim = ARENA_NEW(arena, struct target_sim);
    *sim = (struct target_sim){
        .target = {.ops = &ops,
                   .description = sim_spec_text(arena, spec),
                   .model = model->identity,
                   .timer = "simulated",
                   .ticks_per_second = CORE_HZ * TICKS_PER_CYCLE,
                   .core_hz = CORE_HZ,
                   .has_counters = spec->noise.counter_factor > 0,
                   .counters_note = "the simulated CPU has none; noise=counters gives it some"},
        .arena = arena,
        .model = model,
        .slow_cycles = spec->slow_cycles,
        .noise = noise_new(&spec->noise, CORE_HZ, CORE_HZ * TICKS_PER_CYCLE),
    };
    if (model->own && sim->target.has_counters) {
        fail_set(fail, FAIL_INPUT, "the core of a CPU file has no counters: leave out noise=counters");
        return NULL;
    }
    sim->target.timer_step = noise_timer_step(&sim->noise);
    if (request->n_events && !sim->target.has_counters) {
        fail_set(fail, FAIL_INPUT, "%s: no events can be counted", sim->target.counters_note);
        return NULL;
    }
    if (!sim_events_choose(arena, model->machine, request, &sim->events, &sim->target, fail))
        return NULL;
    return &sim->target;
}

static bool parse_word(struct arena *arena, const char *word, struct sim_spec *spec, struct fail *fail) {
    char *end = NULL;
    if (strncmp(word, "noise=", 6) == 0) {
        spec->noise_text = word + 6;
        return noise_parse(arena, spec->noise_text, &spec->noise, fail);
    }
    if (strncmp(word, "seed=", 5) == 0) {
        spec->noise.seed = strtoull(word + 5, &end, 10);
        if (end != word + 5 && !*end)
            return true;
    }
    if (strncmp(word, "slow=", 5) == 0) {
        unsigned long cycles = strtoul(word + 5, &end, 10);
        spec->slow_cycles = (unsigned)cycles;
        if (end != word + 5 && !*end && cycles >= 1 && cycles <= 100000)
            return true;
    }
    return fail_set(
        fail, FAIL_INPUT,
        "'%s' is not understood: after sim:CPU come noise=KIND[:PARAMETER...][+KIND...], seed=N and slow=CYCLES (1 "
        "to 100000)",
        word);
}

bool sim_spec_parse(struct arena *arena, const char *text, struct sim_spec *spec, struct fail *fail) {
    struct slice rest = {text, strlen(text)}, piece;
    *spec = (struct sim_spec){.noise_text = "vm", .noise = {.seed = 1}, .slow_cycles = SIM_SLOW_CYCLES};
    if (!noise_parse(arena, spec->noise_text, &spec->noise, fail))
        return false;
    slice_next(&rest, ',', &piece);
    spec->cpu = arena_copy(arena, piece.data, piece.length);
    if (!*spec->cpu)
        return fail_set(fail, FAIL_INPUT, "which CPU? Write sim:CPU, as in sim:skylake-avx512");
    while (slice_next(&rest, ',', &piece))
        if (!parse_word(arena, arena_copy(arena, piece.data, piece.length), spec, fail))
            return false;
    return true;
}
