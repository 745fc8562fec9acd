// Runs experiments: measures their cycles, then predicts the same bytes with each model.
#include "lab/lab.h"

#include "analyzer/predict/dependence.h"
#include "base/text.h"
#include "bench/measure/replication.h"
#include "lab/branches.h"

// Whether the CPU that runs the code has a feature. A simulated CPU has those that LLVM states for it.
static enum host_feature find_feature(const struct lab *lab, const char *feature) {
    if (!lab->is_simulated)
        return host_feature(&lab->host, feature);
    const struct backend_cpu *cpu = lab->simulated_cpu.cpu;
    const char *const *names;
    if (lab->simulated_cpu.backend->has_feature(cpu, feature))
        return FEATURE_PRESENT;
    size_t n = lab->simulated_cpu.backend->list_features(lab->arena, cpu, &names);
    return text_find(feature, names, n) < n ? FEATURE_MISSING : FEATURE_UNKNOWN;
}

static const char *feature_near(const struct lab *lab, const char *feature) {
    const char *const *names;
    if (!lab->is_simulated)
        return host_feature_near(lab->arena, feature);
    size_t n = lab->simulated_cpu.backend->list_features(lab->arena, lab->simulated_cpu.cpu, &names);
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
    if (!lab->is_simulated ||
        model_describe_part(&lab->simulated_cpu, lab->arena, program->code, body.offset, body.length, &block, &trouble))
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

static enum verdict_kind subject(enum program_mode mode) {
    switch (mode) {
    case PROGRAM_LATENCY:
        return VERDICT_LATENCY;
    case PROGRAM_THROUGHPUT:
        return VERDICT_RTHROUGHPUT;
    case PROGRAM_BLOCK:
        break;
    }
    return VERDICT_BLOCK;
}

// Whether there are branches besides the loop's own. `without_exits`: those that leave the block, if taken, are none.
static bool has_inner_branch(const struct block *block, const struct program *program, bool without_exits) {
    unsigned n_branches = 0;
    int64_t offset = 0, end = (int64_t)program_block_range(program).length;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        bool leaves = insn->is_direct && insn->is_conditional && offset < end && offset + insn->displacement >= end;
        n_branches += insn->is_branch && !(leaves && without_exits);
    }
    bool has_loop = program->form == PROGRAM_LOOPED && !program->routine_range.length;
    return n_branches > (has_loop ? program->loop_branches : 0);
}

// Returns how the program differs from its kernel file, by what the model knows of its instructions; null: it does not.
static const char *find_misuse(struct arena *arena, const struct machine *machine, const struct block *block,
                               const struct experiment *experiment) {
    const struct program *program = &experiment->program;
    if (program->mode == PROGRAM_BLOCK || experiment->kernel_instructions == 0)
        return NULL;
    struct dependence found = dependence_find(machine, block, program->streams, experiment->kernel_instructions,
                                              experiment->second_instructions);
    if (program->mode == PROGRAM_LATENCY && !found.is_carried)
        return "no copy waits for the one before: not a latency (see `chain` in the kernel file)";
    if (program->mode == PROGRAM_THROUGHPUT && found.crossing)
        return arena_printf(arena, "streams wait for each other through %s: not a throughput (see `writes`)",
                            found.crossing);
    if (found.carried_flags && !program->preserves_flags)
        return arena_printf(arena,
                            "the loop's count overwrites %s, through which copies wait for each other: add `flags` to "
                            "`chain`",
                            found.carried_flags);
    return NULL;
}

// Notes a doubt for code with inner branches: a simulated CPU executes the text once, without following them.
static void doubt_simulation(const struct lab *lab, struct experiment *experiment) {
    const struct program *program = &experiment->program;
    struct program_range range = program_simulated_range(program);
    struct block block;
    struct fail fail = {0};
    if (model_describe_part(&lab->simulated_cpu, lab->arena, program->code, range.offset, range.length, &block,
                            &fail) &&
        has_inner_branch(&block, program, true))
        experiment->misuse = "a simulated CPU follows no branch: this is one pass through the text";
}

// Predicts code with inner branches by a recording of its run. Fails on a simulated CPU, or where the code ran
// elsewhere.
static bool predict_branches(struct lab *lab, unsigned model, struct experiment *experiment, struct fail *fail) {
    struct followed *followed = &experiment->followed;
    struct bench_code code = experiment_code(experiment, false);
    if (lab->elsewhere)
        experiment->misuse = "has branches inside; the file does not state which way they went";
    if (lab->elsewhere || lab->is_simulated)
        return fail_set(fail, FAIL_UNAVAILABLE, "no prediction where branches are not followed");
    if (!followed->n && !follow_record(lab->arena, &experiment->program, &code, followed, fail))
        return false;
    return follow_predict(lab->arena, &lab->models[model], &experiment->program, followed,
                          &experiment->predictions[model], fail);
}

static bool predict_block(struct lab *lab, unsigned model, struct experiment *experiment, struct fail *fail) {
    const struct machine *machine = lab->models[model].machine;
    struct program_range range = program_simulated_range(&experiment->program);
    struct block block;
    if (!model_describe_part(&lab->models[model], lab->arena, experiment->program.code, range.offset, range.length,
                             &block, fail))
        return false;
    bool is_called = experiment->program.routine_range.length && !lab->is_simulated;
    bool calls = experiment->block && experiment->block->calls_others && !lab->is_simulated;
    if (is_called || calls || has_inner_branch(&block, &experiment->program, lab->is_simulated))
        return predict_branches(lab, model, experiment, fail);
    experiment->is_straight = true;
    if (!experiment->misuse)
        experiment->misuse = find_misuse(lab->arena, machine, &block, experiment);
    return prediction_make(lab->arena, machine, &block, &experiment->predictions[model], fail);
}

// Predicts an experiment. Where the model cannot predict the code, its message becomes the reason of the verdict.
static void predict(struct lab *lab, unsigned model, struct experiment *experiment) {
    struct prediction *prediction = &experiment->predictions[model];
    const struct model *asked = &lab->models[model];
    struct fail fail = {0};
    if (asked->missing) {
        *prediction = (struct prediction){.model = asked->identity, .bottleneck = ""};
        experiment->verdicts[model] = (struct verdict){.kind = VERDICT_UNMODELLED, .blame = asked->missing};
        return;
    }
    if (!predict_block(lab, model, experiment, &fail)) {
        *prediction = (struct prediction){.model = asked->machine->id, .bottleneck = ""};
        experiment->verdicts[model] = (struct verdict){.kind = VERDICT_UNMODELLED, .blame = "no prediction"};
        if (!experiment->misuse) // the table shows a misuse
            lab_say(lab->listener, LAB_WARNING, "%s: %s", experiment->program.kernel, fail.text);
        return;
    }
    const struct bench_measurement *m = &experiment->measurement;
    struct verdict_measured measured = {
        m->cycles, m->low, m->high, m->clock_error, m->verdict != MEASURED_UNSTABLE, subject(experiment->program.mode)};
    verdict_make(lab->arena, &measured, prediction, &experiment->verdicts[model]);
}

// Makes the value of very short runs unstable: the cost of their start and end is within the timed part, and does not
// cancel to the last cycle (8 were seen).
static void doubt_short_runs(const struct lab *lab, struct experiment *experiment) {
    static const double fewest_cycles = 1000, share = 0.75; // share: long run minus short one
    struct bench_measurement *m = &experiment->measurement;
    double iterations = (double)m->seen.most_iterations, cycles = iterations * m->cycles * experiment->program.unroll;
    if (m->outcome != BENCH_OK || !m->seen.most_iterations || m->verdict == MEASURED_UNSTABLE ||
        share * cycles >= fewest_cycles)
        return;
    m->verdict = MEASURED_UNSTABLE;
    m->why = arena_printf(
        lab->arena, "only %.0f iterations fit (%.0f cycles), so their start and end distort the value; raise --pages",
        iterations, cycles);
}

// Makes the value unstable where the first-level cache cannot hold the memory. Models are not asked about other caches.
static void doubt_large_memory(struct experiment *experiment) {
    struct bench_measurement *m = &experiment->measurement;
    if (m->outcome != BENCH_OK || m->verdict == MEASURED_UNSTABLE || m->seen.memory != MEMORY_LARGE)
        return;
    m->verdict = MEASURED_UNSTABLE;
    m->why = "its pages do not fit the first-level cache, and follow each other too closely to share memory";
}

void lab_take(struct lab *lab, struct experiment *experiment, const struct bench_measurement *measurement) {
    experiment->measurement = *measurement;
    if (experiment->block && !lab->is_simulated)
        block_look(lab->arena, &lab->decoder, experiment);
    doubt_short_runs(lab, experiment);
    if (experiment->block && !lab->is_simulated)
        doubt_large_memory(experiment);
    if (lab->is_simulated)
        doubt_simulation(lab, experiment);
    experiment->is_done = experiment->measurement.outcome == BENCH_OK;
    experiment->n_predictions = experiment->is_done ? lab->n_models : 0;
    for (unsigned i = 0; i < experiment->n_predictions; i++)
        predict(lab, i, experiment);
}

static struct bench_code *put_codes(const struct lab *lab, struct experiment *experiment, struct bench_code *codes) {
    const struct bench_code own = *codes++ = lab_code(lab, experiment);
    for (unsigned i = 0; i < experiment->replicates.n; i++) {
        const struct replicate *replicate = &experiment->replicates.items[i];
        *codes = program_code(replicate->program, lab->is_simulated);
        codes->foreign = own.foreign;
        codes->process_set = own.process_set;
        codes->uses = own.uses;
        codes->is_wide = own.is_wide;
        codes++->offset = replicate->offset;
    }
    return codes;
}

// Returns the number of codes of an experiment: its own, and one per replicate.
static size_t count_codes(const struct experiment *experiment) {
    return 1 + experiment->replicates.n;
}

// State of lab_run.
struct run {
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

// Takes an experiment's measurements: its own first, then those of its replicates.
static void take_measurements(struct lab *lab, struct experiment *experiment,
                              const struct bench_measurement *measurements) {
    struct bench_measurement own = measurements[0];
    for (unsigned i = 0; i < experiment->replicates.n; i++)
        if (own.outcome == BENCH_OK && measurements[1 + i].outcome == BENCH_STOPPED)
            own.outcome = BENCH_STOPPED;
        else if (own.outcome == BENCH_OK)
            replication_add(lab->arena, &own, experiment->replicates.items[i].change, &measurements[1 + i]);
    measured_confirm(lab->arena, &experiment->looks, &own);
    lab_take(lab, experiment, &own);
}

static bool report(const struct run *run, struct experiment *experiment, struct fail *fail) {
    return !run->taker || run->taker->done(run->taker->context, experiment, fail);
}

static bool may_be_shortened(const struct run *run, const struct experiment *experiment) {
    return !run->lab->is_simulated && experiment->measurement.outcome != BENCH_OK;
}

static bool take_code(void *context, size_t code, struct fail *fail) {
    struct run *run = context;
    size_t owner = run->owners[code];
    struct run_part *part = &run->parts[owner];
    part->n_left -= !run->are_done[code];
    run->are_done[code] = true;
    if (part->n_left > 0)
        return true;
    take_measurements(run->lab, run->experiments[owner], &run->measurements[part->first]);
    return may_be_shortened(run, run->experiments[owner]) || report(run, run->experiments[owner], fail);
}

// Measures blocks again with fewer copies, where they did not survive more.
static bool measure_shortened(const struct run *run, struct experiment *const *shorter, size_t n, struct fail *fail) {
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
static bool finish_failed(const struct run *run, size_t n, struct fail *fail) {
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

static void say_waiting(void *context, size_t n_left, double seconds) {
    const struct run *run = context;
    lab_say_waiting(run->lab->listener, n_left, seconds);
}

bool lab_run(struct lab *lab, struct experiment *const *experiments, size_t n, const struct lab_taker *taker,
             struct fail *fail) {
    struct arena scratch = {0};
    size_t n_codes = 0;
    for (size_t i = 0; i < n; i++)
        n_codes += count_codes(experiments[i]);
    struct run run = {.lab = lab,
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
                       finish_failed(&run, n, fail);
    arena_free(&scratch);
    return is_measured;
}
