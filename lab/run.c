// Runs experiments: measures their cycles, then has the same bytes predicted.
#include "lab/lab.h"

#include "analyzer/cpu/recipe.h"
#include "base/text.h"
#include "bench/measure/replication.h"
#include "blocks/unnamed_words.h"
#include "lab/predict.h"

#include <string.h>

// Whether the CPU that runs the code has a feature. A simulated CPU has those that LLVM states for it.
static enum host_feature find_feature(const struct lab *lab, const char *feature) {
    if (!lab->is_simulated)
        return host_feature(&lab->host, feature);
    const struct backend_cpu *cpu = lab->models.native.cpu;
    const char *const *names;
    if (lab->models.native.backend->has_feature(cpu, feature))
        return FEATURE_PRESENT;
    size_t n = lab->models.native.backend->list_features(lab->arena, cpu, &names);
    return text_find(feature, names, n) < n ? FEATURE_MISSING : FEATURE_UNKNOWN;
}

static const char *feature_near(const struct lab *lab, const char *feature) {
    const char *const *names;
    if (!lab->is_simulated)
        return host_feature_near(lab->arena, feature);
    size_t n = lab->models.native.backend->list_features(lab->arena, lab->models.native.cpu, &names);
    return text_did_you_mean(lab->arena, feature, names, n);
}

// Returns the first feature that a program needs and that the CPU does not have; null: it has all.
static const char *const *first_missing(const struct lab *lab, const struct program *program) {
    for (const char *const *feature = program->features; feature && *feature; feature++)
        if (find_feature(lab, *feature) != FEATURE_PRESENT)
            return feature;
    return NULL;
}

const char *lab_missing_feature(const struct lab *lab, const struct program *program) {
    const char *const *missing = first_missing(lab, program);
    return missing ? *missing : NULL;
}

static bool fail_feature(const struct lab *lab, const struct program *program, const char *const *feature,
                         struct fail *fail) {
    if (find_feature(lab, *feature) == FEATURE_MISSING)
        return fail_set(fail, FAIL_UNAVAILABLE, "%s needs the CPU feature %s, which %s does not have", program->kernel,
                        *feature, lab->is_simulated ? lab->sim.cpu : "this CPU");
    const char *near = feature_near(lab, *feature), *advice = *near ? "" : "; take LLVM's names";
    if (program->feature_lines)
        return fail_at(fail, program->file, program->feature_lines[feature - program->features], 0,
                       "unknown CPU feature '%s'%s%s", *feature, near, advice);
    return fail_set(fail, FAIL_INPUT, "%s needs the unknown CPU feature '%s'%s%s", program->kernel, *feature, near,
                    advice);
}

bool lab_can_run(const struct lab *lab, const struct program *program, struct fail *fail) {
    const char *const *missing = first_missing(lab, program);
    if (missing)
        return fail_feature(lab, program, missing, fail);
    struct program_range body = program_simulated_range(program);
    struct block block;
    struct fail trouble = {0};
    const struct model *native = &lab->models.native;
    if (!lab->is_simulated ||
        (model_describe_part(native, lab->arena, program->code, body.offset, body.length, &block, &trouble) &&
         (!native->own || cpu_executes_block(native->own, &block, &trouble))))
        return true;
    return fail_set(fail, FAIL_UNAVAILABLE, "%s cannot run on the simulated CPU: %s", program->kernel, trouble.text);
}

struct bench_code lab_code(const struct lab *lab, const struct experiment *experiment) {
    struct bench_code code = experiment_code(experiment, lab->is_simulated);
    const struct bench_measurement *look = experiment->looks.fastest;
    // A stable value has all its processes anew: the last one counts, and must not be the worse one.
    code.seen_processes = look && look->look != LOOK_NONE ? look->processes : 0;
    code_uses_find(&lab->uses, &code);
    return code;
}

// Makes the value unstable where the first-level cache cannot hold the memory. Models are not asked about other caches.
static void doubt_large_memory(struct experiment *experiment) {
    struct bench_measurement *m = &experiment->measurement;
    if (m->outcome != BENCH_OK || m->verdict == MEASURED_UNSTABLE || m->seen.memory != MEMORY_LARGE)
        return;
    m->verdict = MEASURED_UNSTABLE;
    m->why = "its pages do not fit the first-level cache, and follow each other too closely to share memory";
}

// Makes the value unstable where code like it has another time, which depends on how it is entered.
static void doubt_unnamed_words(const struct lab *lab, struct experiment *experiment) {
    struct bench_measurement *m = &experiment->measurement;
    const struct lab_block *block = experiment->block;
    bool may_rename = lab->host.vendor && strcmp(lab->host.vendor, "AuthenticAMD") == 0 && block->is_decoded &&
                      strcmp(block->source.isa->name, "x86_64") == 0;
    if (m->outcome != BENCH_OK || m->verdict == MEASURED_UNSTABLE || !may_rename ||
        !unnamed_words_decide(lab->decoder.machine, &block->insns, m->cycles))
        return;
    m->verdict = MEASURED_UNSTABLE;
    m->why = "a word of memory that no register addresses is passed on in 1 cycle where the code is entered right "
             "behind itself, else in 6: both may be";
}

// Whether the block has branches besides that of its own loop, so that a part of it may not run.
static bool has_inner_branch(const struct lab_block *block) {
    return block->is_decoded &&
           (block->is_routine || block->calls_others || block_has_inner_branch(&block->insns, block->is_loop));
}

// Records which part of the block runs, for its reader and for the models. Where that cannot be, a model reports why.
static void find_path(const struct lab *lab, struct experiment *experiment) {
    const struct bench_code code = experiment_code(experiment, false);
    struct fail why = {0};
    if (experiment->measurement.outcome != BENCH_OK || !has_inner_branch(experiment->block))
        return;
    if (!experiment->followed.n &&
        !branches_record(lab->arena, &experiment->program, &code, &experiment->followed, &why))
        return;
    if (!path_find(lab->arena, &lab->decoder, &experiment->program, &experiment->followed, &experiment->path))
        return;
    experiment->seen.ran = experiment->path.n_ran;
    experiment->seen.ran_of = experiment->path.n_insns;
    experiment->seen.has_idle_loop = experiment->path.has_idle_loop;
    experiment->seen.idle_loop = experiment->path.idle_loop;
}

void lab_take(struct lab *lab, struct experiment *experiment, const struct bench_measurement *measurement) {
    const struct predict_request request = {lab->arena, &lab->models, lab->listener,
                                            lab->is_simulated ? PREDICT_SIMULATED : PREDICT_HERE,
                                            lab->addresses_are_static};
    experiment->measurement = *measurement;
    if (experiment->block && !lab->is_simulated) {
        block_look(lab->arena, &lab->decoder, experiment);
        find_path(lab, experiment);
    }
    experiment_doubt_short_run(lab->arena, experiment);
    if (experiment->block && !lab->is_simulated) {
        doubt_large_memory(experiment);
        doubt_unnamed_words(lab, experiment);
    }
    predict_experiment(&request, experiment);
}

// Puts the codes of its replicates. `own`: that of the experiment.
static struct bench_code *put_replicates(const struct lab *lab, const struct experiment *experiment,
                                         const struct bench_code *own, struct bench_code *codes) {
    for (unsigned i = 0; i < experiment->replicates.n; i++) {
        const struct replicate *replicate = &experiment->replicates.items[i];
        *codes = program_code(replicate->program, lab->is_simulated);
        codes->foreign = own->foreign;
        codes->process_set = own->process_set + (own->address ? i + 1 : 0);
        codes->uses = own->uses;
        codes->is_wide = own->is_wide;
        codes++->offset = replicate->offset;
    }
    return codes;
}

static struct bench_code *put_codes(const struct lab *lab, const struct experiment *experiment,
                                    struct bench_code *codes) {
    *codes = lab_code(lab, experiment);
    return put_replicates(lab, experiment, codes, codes + 1);
}

// Returns the number of codes of an experiment: its own, and one per replicate.
static size_t count_codes(const struct experiment *experiment) {
    return 1 + experiment->replicates.n;
}

// State of lab_run.
struct lab_measuring {
    struct lab *lab;
    struct experiment *const *experiments;
    struct run_part {
        size_t first, n_left; // index of its own code, before those of its replicates; codes not measured yet
    } * parts;                // one per experiment
    size_t *owners;           // index of each code's experiment
    bool *are_done;           // for each code: it is measured
    struct bench_code *codes;
    struct bench_measurement *measurements;
    const struct lab_taker *taker;
};

static void add_replicates(struct arena *arena, const struct experiment *experiment,
                           const struct bench_measurement *measurements, struct bench_measurement *own) {
    for (unsigned i = 0; i < experiment->replicates.n; i++)
        if (own->outcome == BENCH_OK && measurements[i].outcome == BENCH_STOPPED)
            own->outcome = BENCH_STOPPED;
        else if (own->outcome == BENCH_OK)
            replication_add(arena, own, &experiment->replicates.items[i].change, &measurements[i]);
}

// Takes an experiment's measurements: its own first, then those of its replicates.
static void take_measurements(struct lab *lab, struct experiment *experiment,
                              const struct bench_measurement *measurements) {
    struct bench_measurement own = measurements[0];
    add_replicates(lab->arena, experiment, measurements + 1, &own);
    measured_confirm(lab->arena, &experiment->looks, &own);
    lab_take(lab, experiment, &own);
}

static bool report(const struct lab_measuring *run, struct experiment *experiment, struct fail *fail) {
    return !run->taker || run->taker->done(run->taker->context, experiment, fail);
}

static bool may_be_shortened(const struct lab_measuring *run, const struct experiment *experiment) {
    return !run->lab->is_simulated && experiment->measurement.outcome != BENCH_OK;
}

// Whether a pass is so short that it counts how its branches are predicted. A CPU learns that by the branches before,
// of which the caller takes some, and by where the code is: compiled functions with loops of 4 to 15 turns have two
// times on a Zen 4 (docs/how-it-works/blocks.md).
static bool wants_layouts(const struct lab *lab, const struct experiment *experiment) {
    static const double most_cycles = 1000;
    const struct bench_measurement *m = &experiment->measurement;
    return !lab->is_simulated && !experiment->replicates.n && m->outcome == BENCH_OK &&
           m->verdict != MEASURED_UNSTABLE && experiment->path.varies && m->cycles < most_cycles;
}

static bool take_code(void *context, size_t code, struct fail *fail) {
    struct lab_measuring *run = context;
    size_t owner = run->owners[code];
    struct run_part *part = &run->parts[owner];
    part->n_left -= !run->are_done[code];
    run->are_done[code] = true;
    if (part->n_left > 0)
        return true;
    take_measurements(run->lab, run->experiments[owner], &run->measurements[part->first]);
    return may_be_shortened(run, run->experiments[owner]) || wants_layouts(run->lab, run->experiments[owner]) ||
           report(run, run->experiments[owner], fail);
}

// Measures blocks again with fewer copies, where they did not survive more.
static bool measure_shortened(const struct lab_measuring *run, struct experiment *const *shorter, size_t n,
                              struct fail *fail) {
    struct lab *lab = run->lab;
    struct program **programs = ARENA_ARRAY(lab->arena, struct program *, n);
    struct bench_code *codes = ARENA_ARRAY(lab->arena, struct bench_code, n);
    struct bench_measurement *measurements = ARENA_ARRAY(lab->arena, struct bench_measurement, n);
    for (size_t i = 0; i < n; i++)
        programs[i] = &shorter[i]->program;
    if (!gen_assemble(lab->arena, programs, n, fail))
        return false;
    for (size_t i = 0; i < n; i++)
        codes[i] = lab_code(lab, shorter[i]);
    if (!bench_measure(&lab->bench, codes, measurements, n, NULL, fail))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (shorter[i]->replicates.n)
            measurements[i].warning = "--replicate: with fewer copies than usual, other layouts are not measured";
        lab_take(lab, shorter[i], &measurements[i]);
    }
    return true;
}

// Finishes the experiments that did not end well. Some of them do with fewer copies.
static bool finish_failed(const struct lab_measuring *run, size_t n, struct fail *fail) {
    struct experiment **failed = ARENA_ARRAY(run->lab->arena, struct experiment *, n),
                      **shorter = ARENA_ARRAY(run->lab->arena, struct experiment *, n);
    size_t n_failed = 0, n_shorter = 0;
    for (size_t i = 0; i < n; i++) {
        if (!may_be_shortened(run, run->experiments[i]))
            continue;
        failed[n_failed++] = run->experiments[i];
        if (block_shorten(run->lab->arena, run->experiments[i], fail))
            shorter[n_shorter++] = run->experiments[i];
    }
    bool is_good = fail->status == FAIL_NONE && (n_shorter == 0 || measure_shortened(run, shorter, n_shorter, fail));
    for (size_t i = 0; i < n_failed && is_good; i++)
        is_good = report(run, failed[i], fail);
    return is_good;
}

// Adds what the replicates of some experiments take, `n_codes` in all.
static bool measure_layouts(const struct lab_measuring *run, struct experiment *const *experiments, size_t n,
                            size_t n_codes, struct fail *fail) {
    enum { FEWER_PROCESSES = 9 }; // than for a value of its own
    struct lab *lab = run->lab;
    struct program **programs = ARENA_ARRAY(lab->arena, struct program *, n_codes);
    struct bench_code *codes = ARENA_ARRAY(lab->arena, struct bench_code, n_codes);
    struct bench_measurement *measurements = ARENA_ARRAY(lab->arena, struct bench_measurement, n_codes);
    size_t n_programs = 0;
    for (size_t i = 0; i < n; i++)
        for (unsigned r = 0; r < experiments[i]->replicates.n; r++)
            programs[n_programs++] = experiments[i]->replicates.items[r].program;
    if (!gen_assemble(lab->arena, programs, n_codes, fail))
        return false;
    struct bench_code *code = codes;
    for (size_t i = 0; i < n; i++) {
        const struct bench_code own = lab_code(lab, experiments[i]);
        code = put_replicates(lab, experiments[i], &own, code);
    }
    for (size_t i = 0; i < n_codes; i++)
        codes[i].seen_processes = FEWER_PROCESSES;
    if (!bench_measure(&lab->bench, codes, measurements, n_codes, NULL, fail))
        return false;
    const struct bench_measurement *next = measurements;
    for (size_t i = 0; i < n; next += experiments[i++]->replicates.n) {
        struct bench_measurement own = experiments[i]->measurement;
        add_replicates(lab->arena, experiments[i], next, &own);
        lab_take(lab, experiments[i], &own);
    }
    return true;
}

// Measures other layouts of the experiments that want them, and reports these.
static bool finish_doubtful(const struct lab_measuring *run, size_t n, struct fail *fail) {
    struct experiment **doubtful = ARENA_ARRAY(run->lab->arena, struct experiment *, n);
    size_t n_doubtful = 0, n_codes = 0;
    for (size_t i = 0; i < n; i++) {
        if (!wants_layouts(run->lab, run->experiments[i]))
            continue;
        if (!replicate_block(run->lab->arena, run->experiments[i], fail))
            return false;
        doubtful[n_doubtful++] = run->experiments[i];
        n_codes += run->experiments[i]->replicates.n;
    }
    bool is_good = !n_codes || measure_layouts(run, doubtful, n_doubtful, n_codes, fail);
    for (size_t i = 0; i < n_doubtful && is_good; i++)
        is_good = report(run, doubtful[i], fail);
    return is_good;
}

static void say_waiting(void *context, size_t n_left, double seconds) {
    const struct lab_measuring *run = context;
    lab_say_waiting(run->lab->listener, n_left, seconds);
}

bool lab_run(struct lab *lab, struct experiment *const *experiments, size_t n, const struct lab_taker *taker,
             struct fail *fail) {
    struct arena scratch = {0};
    size_t n_codes = 0;
    for (size_t i = 0; i < n; i++)
        n_codes += count_codes(experiments[i]);
    struct lab_measuring run = {.lab = lab,
                                .experiments = experiments,
                                .parts = ARENA_ARRAY(&scratch, struct run_part, n),
                                .owners = ARENA_ARRAY(&scratch, size_t, n_codes),
                                .are_done = ARENA_ARRAY(&scratch, bool, n_codes),
                                .codes = ARENA_ARRAY(&scratch, struct bench_code, n_codes),
                                .measurements = ARENA_ARRAY(&scratch, struct bench_measurement, n_codes),
                                .taker = taker};
    struct bench_code *code = run.codes;
    for (size_t i = 0; i < n; i++) {
        run.parts[i] = (struct run_part){(size_t)(code - run.codes), count_codes(experiments[i])};
        code = put_codes(lab, experiments[i], code);
        for (size_t c = run.parts[i].first; c < run.parts[i].first + run.parts[i].n_left; c++)
            run.owners[c] = i;
    }
    const struct bench_listener of_codes = {&run, take_code, say_waiting};
    bool is_measured = bench_measure(&lab->bench, run.codes, run.measurements, n_codes, &of_codes, fail) &&
                       finish_failed(&run, n, fail) && finish_doubtful(&run, n, fail);
    arena_free(&scratch);
    return is_measured;
}
