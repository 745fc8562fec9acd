// Co-runs: chooses the second CPU, measures and predicts, and fills their lines in measurement files. report/corun.c
// prints the table.
#include "lab/corun.h"

#include "analyzer/predict/corun_prediction.h"

#include <sched.h>
#include <string.h>

// Returns the first other CPU that we may run on; -1: there is none.
static int any_other_cpu(int cpu) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int other = 0; other < CPU_SETSIZE; other++)
        if (other != cpu && CPU_ISSET((unsigned)other, &allowed))
            return other;
    return -1;
}

// Moves the measurement where it is on the co-runner's requested CPU. Fails where both CPUs were requested.
static bool move_measurement(struct lab *lab, const struct lab_options *options, struct fail *fail) {
    int other = any_other_cpu(options->corun_cpu);
    if (options->bench.cpu >= 0)
        return fail_set(fail, FAIL_INPUT, "--cpu and --corun-cpu are both %d: two threads need two CPUs",
                        options->corun_cpu);
    if (other < 0)
        return fail_set(fail, FAIL_UNAVAILABLE, "CPU %d is the only one here: two threads need two CPUs",
                        options->corun_cpu);
    struct host_request request = {other, NULL};
    return host_read(lab->arena, &request, &lab->host, fail);
}

bool corun_choose_cpu(struct lab *lab, const struct lab_options *options, int *cpu, struct fail *fail) {
    *cpu = options->corun_cpu;
    if (lab->is_simulated)
        return *cpu < 0 || fail_set(fail, FAIL_INPUT,
                                    "a simulated core has two threads of its own: --corun-cpu is for "
                                    "real ones");
    if (*cpu >= 0)
        return *cpu != lab->host.cpu || move_measurement(lab, options, fail);
    if (lab->host.n_siblings == 0)
        return fail_set(fail, FAIL_UNAVAILABLE,
                        "CPU %d has no SMT sibling that is online; --corun-cpu N runs the co-runner on another core",
                        lab->host.cpu);
    *cpu = lab->host.siblings[0];
    return true;
}

static bool predict_on(struct lab *lab, const struct model *model, const struct experiment *experiment,
                       struct corun_predicted *predicted, struct fail *fail) {
    const struct program *programs[CORUN_THREADS] = {&experiment->program, &experiment->corun->other->program};
    struct block blocks[CORUN_THREADS];
    const struct block *const both[CORUN_THREADS] = {&blocks[0], &blocks[1]};
    for (unsigned t = 0; t < CORUN_THREADS; t++) {
        struct program_range range = program_simulated_range(programs[t]);
        if (!model_describe_part(model, lab->arena, programs[t]->code, range.offset, range.length, &blocks[t], fail))
            return false;
    }
    return corun_predict(model->machine, both, predicted->cycles, fail);
}

// Whether both threads are on one core: models know nothing that cores share.
static bool shares_core(const struct lab *lab) {
    return lab->is_simulated || lab->is_sibling;
}

// Predicts threads on separate cores: each as alone.
static bool predict_apart(const struct experiment *experiment, unsigned model, struct corun_predicted *predicted) {
    predicted->cycles[0] = experiment->predictions[model].cycles;
    predicted->cycles[1] = experiment->corun->other->predictions[model].cycles;
    return true;
}

// Predicts with each model that predicts both blocks alone.
static void predict(struct lab *lab, struct experiment *experiment) {
    struct corun *corun = experiment->corun;
    for (unsigned i = 0; i < experiment->n_predictions && i < corun->other->n_predictions; i++) {
        struct fail fail = {0};
        bool is_modelled =
            experiment->verdicts[i].kind != VERDICT_UNMODELLED && corun->other->verdicts[i].kind != VERDICT_UNMODELLED;
        corun->predicted[i].is_known =
            is_modelled && !(shares_core(lab) && lab->models.judged[i].own) &&
            (shares_core(lab) ? predict_on(lab, &lab->models.judged[i], experiment, &corun->predicted[i], &fail)
                              : predict_apart(experiment, i, &corun->predicted[i]));
        if (fail.status != FAIL_NONE)
            lab_say(lab->listener, LAB_WARNING, "%s: %s", experiment->program.kernel, fail.text);
    }
}

bool corun_is_same_code(const struct experiment *experiment) {
    const struct program *a = &experiment->program, *b = &experiment->corun->other->program;
    return a->code_bytes == b->code_bytes && a->unroll == b->unroll && memcmp(a->code, b->code, a->code_bytes) == 0;
}

// Measures the co-runner alone, once for all experiments.
static bool measure_other(struct lab *lab, const struct experiment *experiment, struct fail *fail) {
    struct experiment *other = experiment->corun->other;
    if (other->is_done || other->measurement.outcome != BENCH_OK)
        return true;
    if (!corun_is_same_code(experiment))
        return lab_run(lab, &other, 1, NULL, fail);
    lab_take(lab, other, &experiment->measurement);
    return true;
}

bool corun_measure(struct lab *lab, struct experiment *experiment, struct fail *fail) {
    struct corun *corun = experiment->corun;
    struct bench_code code = lab_code(lab, experiment), corunner = lab_code(lab, corun->other);
    if (!measure_other(lab, experiment, fail))
        return false;
    if (!corun->other->is_done)
        return true;
    if (!bench_measure_corun(&lab->bench, &code, &corunner, &corun->together, fail))
        return false;
    corun->is_done = corun->together.outcome == BENCH_OK;
    if (corun->is_done)
        predict(lab, experiment);
    return true;
}

bool corun_write(struct run_journal *journal, struct lab *lab, const struct experiment *experiment, struct fail *fail) {
    const struct corun *corun = experiment->corun;
    struct record record, other;
    experiment_to_record(lab->arena, experiment, &record);
    experiment_to_record(lab->arena, corun->other, &other);
    record.measurement = corun->together;
    record.corunner = other.kernel;
    record.corunner_bytes = other.bytes;
    record.n_predictions = 0;
    for (unsigned i = 0; i < experiment->n_predictions; i++)
        if (corun->predicted[i].is_known)
            record.predictions[record.n_predictions++] =
                (struct record_prediction){.model = experiment->predictions[i].model,
                                           .cycles = corun->predicted[i].cycles[0],
                                           .bottleneck = shares_core(lab) ? "two threads" : "two cores"};
    return run_journal_write_record(journal, &record, fail);
}
