#include "cli/corun.h"

#include "analyzer/compare/corun_prediction.h"
#include "base/table.h"
#include "bench/measured.h"
#include "cli/program_code.h"

#include <math.h>
#include <sched.h>
#include <string.h>

// The first CPU that we may run on, other than this one; -1: there is none.
static int any_other_cpu(int cpu) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int other = 0; other < CPU_SETSIZE; other++)
        if (other != cpu && CPU_ISSET((unsigned)other, &allowed))
            return other;
    return -1;
}

// Both on the CPU that was asked for: the measurement moves, unless its CPU was asked for as well.
static bool move_measurement(struct lab *lab, const struct lab_options *options, struct fail *fail) {
    int other = any_other_cpu(options->corun_cpu);
    if (options->bench.cpu >= 0)
        return fail_set(fail, FAIL_INPUT, "--cpu and --corun-cpu are both %d: two threads need two CPUs",
                        options->corun_cpu);
    if (other < 0)
        return fail_set(fail, FAIL_UNAVAILABLE, "there is no CPU beside CPU %d to measure on", options->corun_cpu);
    struct host_wish wish = {other, NULL};
    return host_read(lab->arena, &wish, &lab->host, fail);
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
                        "CPU %d has no SMT sibling that is online, so nothing can run beside it on its core; "
                        "--corun-cpu N runs the co-runner on another core",
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
        if (!model_describe_bytes(model, lab->arena, programs[t]->code + range.offset, range.length, &blocks[t], fail))
            return false;
    }
    return corun_predict(model->machine, both, predicted->cycles, fail);
}

// Cores share nothing that a model knows.
static bool shares_core(const struct lab *lab) {
    return lab->is_simulated || lab->is_sibling;
}

// Each on a core of its own: as alone.
static bool predict_apart(const struct experiment *experiment, unsigned model, struct corun_predicted *predicted) {
    predicted->cycles[0] = experiment->predictions[model].cycles;
    predicted->cycles[1] = experiment->corun->other->predictions[model].cycles;
    return true;
}

// Of blocks that the model can say something of alone.
static void predict(struct lab *lab, struct experiment *experiment) {
    struct corun *corun = experiment->corun;
    for (unsigned i = 0; i < experiment->n_predictions && i < corun->other->n_predictions; i++) {
        struct fail fail = {0};
        bool is_modelled =
            experiment->verdicts[i].kind != VERDICT_UNMODELLED && corun->other->verdicts[i].kind != VERDICT_UNMODELLED;
        corun->predicted[i].is_known =
            is_modelled && (shares_core(lab) ? predict_on(lab, &lab->models[i], experiment, &corun->predicted[i], &fail)
                                             : predict_apart(experiment, i, &corun->predicted[i]));
        if (fail.status != FAIL_NONE)
            fprintf(stderr, "cyclops: warning: %s: %s\n", experiment->program.kernel, fail.text);
    }
}

bool corun_is_same_code(const struct experiment *experiment) {
    const struct program *a = &experiment->program, *b = &experiment->corun->other->program;
    return a->code_bytes == b->code_bytes && a->unroll == b->unroll && memcmp(a->code, b->code, a->code_bytes) == 0;
}

// Alone, once for all.
static bool measure_other(struct lab *lab, const struct experiment *experiment, struct fail *fail) {
    struct experiment *other = experiment->corun->other;
    if (other->is_done || other->measurement.outcome != BENCH_OK)
        return true;
    if (!corun_is_same_code(experiment))
        return lab_run(lab, &other, 1, fail);
    lab_take(lab, other, &experiment->measurement);
    return true;
}

bool corun_measure(struct lab *lab, struct experiment *experiment, struct fail *fail) {
    struct corun *corun = experiment->corun;
    struct bench_code code = program_code(&experiment->program, lab->is_simulated),
                      beside = program_code(&corun->other->program, lab->is_simulated);
    if (!measure_other(lab, experiment, fail))
        return false;
    if (!corun->other->is_done)
        return true;
    if (!bench_measure_beside(&lab->bench, &code, &beside, &corun->together, fail))
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
    record.beside = other.kernel;
    record.beside_bytes = other.bytes;
    record.n_predictions = 0;
    for (unsigned i = 0; i < experiment->n_predictions; i++)
        if (corun->predicted[i].is_known)
            record.predictions[record.n_predictions++] =
                (struct record_prediction){experiment->predictions[i].model, corun->predicted[i].cycles[0],
                                           shares_core(lab) ? "two threads" : "two cores"};
    return run_journal_write_record(journal, &record, fail);
}

// ---- the table

// A number of this machine and the models' numbers for it.
struct row {
    const char *kernel, *measures;
    double cycles, half_width; // cycles 0: not measured
    bool is_unstable;
    int decimals;
};

static double width_beside(const struct bench_measurement *m, double clock_error) {
    const struct bench_measurement beside = {
        .cycles = m->beside, .low = m->beside_low, .high = m->beside_high, .clock_error = clock_error};
    return measured_half_width(&beside);
}

static double half_width_beside(const struct bench_measurement *m) {
    return width_beside(m, m->clock_error);
}

// The rate of the code beside is told by few chunks (bench/native_beside.c): it may be vague where the rest is not.
static bool is_vague(const struct lab *lab, const struct bench_measurement *m) {
    static const double widest_half = 0.01;
    return width_beside(m, 0) > (widest_half + lab->target->beside_error) * m->beside;
}

static void add_row(struct table *table, const struct row *row) {
    table_cell(table, "%s", row->kernel);
    table_cell(table, "%s", row->measures);
    if (row->cycles > 0)
        table_cell_colour(table, row->is_unstable ? TABLE_YELLOW : TABLE_PLAIN, "%5.*f ±%.*f%s", row->decimals,
                          row->cycles, row->decimals, row->half_width, row->is_unstable ? " ?" : "");
    else
        table_cell_colour(table, TABLE_YELLOW, "%5s", "-");
}

static void add_prediction(struct table *table, bool is_known, double cycles) {
    if (is_known)
        table_cell(table, "%5.2f", cycles);
    else
        table_cell(table, "%5s", "-");
}

static void add_note(struct table *table, const struct bench_measurement *m, bool is_vague) {
    if (m->verdict == MEASURED_UNSTABLE)
        table_cell(table, "unstable: %s", m->why ? m->why : "");
    else if (is_vague)
        table_cell(table, "%s", "unstable: its rate is told by few chunks, which scatter");
    else
        table_cell(table, "%s", "");
}

static void add_alone(struct table *table, const struct lab *lab, const struct experiment *e) {
    const struct bench_measurement *m = &e->measurement;
    struct row row = {
        e->program.kernel, "alone", m->cycles, measured_half_width(m), m->verdict == MEASURED_UNSTABLE, 2};
    add_row(table, &row);
    for (unsigned i = 0; i < lab->n_models; i++)
        add_prediction(table, i < e->n_predictions && e->verdicts[i].kind != VERDICT_UNMODELLED,
                       e->predictions[i].cycles);
    add_note(table, m, false);
}

static void add_together(struct table *table, const struct lab *lab, const struct experiment *e, unsigned thread) {
    const struct corun *corun = e->corun;
    const struct bench_measurement *m = &corun->together;
    const struct program *own = thread == 0 ? &e->program : &corun->other->program,
                         *other = thread == 0 ? &corun->other->program : &e->program;
    struct row row = {own->kernel,
                      arena_printf(lab->arena, "beside %s", other->kernel),
                      m->cycles,
                      measured_half_width(m),
                      m->verdict == MEASURED_UNSTABLE,
                      2};
    if (thread != 0) {
        row.cycles = m->beside;
        row.half_width = half_width_beside(m);
        row.is_unstable |= is_vague(lab, m);
    }
    add_row(table, &row);
    for (unsigned i = 0; i < lab->n_models; i++)
        add_prediction(table, corun->predicted[i].is_known, corun->predicted[i].cycles[thread]);
    add_note(table, m, thread != 0 && is_vague(lab, m));
}

// What both get done. The relative errors of the parts are added: they need not be independent.
static void add_combined(struct table *table, const struct lab *lab, const struct experiment *e, bool is_gain) {
    const struct corun *corun = e->corun;
    const struct bench_measurement *m = &corun->together, *a = &e->measurement, *b = &corun->other->measurement;
    const double together[CORUN_THREADS] = {m->cycles, m->beside}, alone[CORUN_THREADS] = {a->cycles, b->cycles};
    struct row row = {"both",
                      is_gain ? "work done, against one thread" : "cycles per two bodies",
                      0,
                      0,
                      m->verdict == MEASURED_UNSTABLE || is_vague(lab, m),
                      2};
    bool is_measured = m->samples && a->samples && b->samples && m->beside > 0;
    if (is_measured) {
        double errors = fmax(measured_half_width(m) / m->cycles, half_width_beside(m) / m->beside);
        if (is_gain) {
            errors += fmax(measured_half_width(a) / a->cycles, measured_half_width(b) / b->cycles);
            row.is_unstable |= a->verdict == MEASURED_UNSTABLE || b->verdict == MEASURED_UNSTABLE;
        }
        row.cycles = is_gain ? corun_gain(together, alone) : corun_combined(together);
        row.half_width = errors * row.cycles;
    }
    add_row(table, &row);
    for (unsigned i = 0; i < lab->n_models; i++) {
        const double *predicted = corun->predicted[i].cycles;
        const double predicted_alone[CORUN_THREADS] = {e->predictions[i].cycles, corun->other->predictions[i].cycles};
        bool is_known = corun->predicted[i].is_known;
        add_prediction(table, is_known,
                       !is_known ? 0
                       : is_gain ? corun_gain(predicted, predicted_alone)
                                 : corun_combined(predicted));
    }
    table_cell(table, "%s", "");
}

static void print_one(const struct lab *lab, const struct experiment *e, FILE *out, bool colour) {
    struct table table = {.arena = lab->arena};
    table_column(&table, TABLE_LEFT, "kernel");
    table_column(&table, TABLE_LEFT, "measures");
    table_column(&table, TABLE_LEFT, "measured");
    for (unsigned i = 0; i < lab->n_models; i++)
        table_column(&table, TABLE_LEFT, model_title(&lab->models[i], lab->arena));
    table_column(&table, TABLE_LEFT, "");
    add_alone(&table, lab, e);
    if (!corun_is_same_code(e))
        add_alone(&table, lab, e->corun->other);
    add_together(&table, lab, e, 0);
    add_together(&table, lab, e, 1);
    add_combined(&table, lab, e, false);
    add_combined(&table, lab, e, true);
    table_print(&table, out, colour);
}

void corun_print(const struct lab *lab, const struct plan *plan, FILE *out, bool colour) {
    bool has_any = false;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const struct experiment *e = plan->experiments[i];
        if (!e->corun || !e->corun->is_done)
            continue;
        if (!has_any)
            fprintf(out, "%s\n", lab_summary(lab));
        if (!has_any && !lab->is_simulated)
            fprintf(out, "co-runner on CPU %d, beside CPU %d: %s\n", lab->bench.options.beside_cpu, lab->host.cpu,
                    lab->is_sibling ? "its SMT sibling" : "another core, as far as this system says");
        has_any = true;
        print_one(lab, e, out, colour);
    }
}
