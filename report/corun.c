// The table of a co-run: each thread's cycles alone and with the other, and the work that both do.
#include "report/corun.h"

#include "analyzer/predict/corun_prediction.h"
#include "base/screen.h"
#include "base/table.h"
#include "bench/bench.h"
#include "lab/corun.h"
#include "report/rows.h"

#include <math.h>

enum { DECIMALS = 2 };

// A row: a number of this machine, and those of the models.
struct row {
    const char *kernel, *measures;
    double cycles, half_width; // cycles 0: not measured
    bool is_unstable;
};

static double width_corunner(const struct bench_measurement *m, double clock_error) {
    const struct bench_measurement corunner = {
        .cycles = m->corunner, .low = m->corunner_low, .high = m->corunner_high, .clock_error = clock_error};
    return measured_half_width(&corunner);
}

static double half_width_corunner(const struct bench_measurement *m) {
    return width_corunner(m, m->clock_error);
}

// Whether the co-runner's rate is vague. Few chunks give it (bench/targets/native_corunner.c), so it may be vague where
// the rest is not.
static bool is_vague(const struct lab *lab, const struct bench_measurement *m) {
    static const double widest_half = 0.01;
    return width_corunner(m, 0) > (widest_half + lab->target->corunner_error) * m->corunner;
}

static void add_row(struct table *table, const struct row *row) {
    table_cell(table, "%s", row->kernel);
    table_cell(table, "%s", row->measures);
    if (row->cycles > 0)
        table_cell_colour(table, row->is_unstable ? TABLE_YELLOW : TABLE_PLAIN, "%5.*f ±%.*f%s", DECIMALS, row->cycles,
                          DECIMALS, row->half_width, row->is_unstable ? " ?" : "");
    else
        table_cell_colour(table, TABLE_YELLOW, "%5s", "-");
}

static void add_note(struct table *table, const struct bench_measurement *m, bool is_vague) {
    if (m->verdict == MEASURED_UNSTABLE)
        table_cell(table, "unstable: %s", m->why ? m->why : "");
    else if (is_vague)
        table_cell(table, "%s", "unstable: its rate rests on few chunks, which scatter");
    else
        table_cell(table, "%s", "");
}

static void add_alone(struct table *table, const struct lab *lab, const struct experiment *e) {
    const struct bench_measurement *m = &e->measurement;
    struct row row = {e->program.kernel, "alone", m->cycles, measured_half_width(m), m->verdict == MEASURED_UNSTABLE};
    add_row(table, &row);
    for (unsigned i = 0; i < lab->models.n_judged; i++)
        row_add_prediction(table, i < e->n_predictions && e->verdicts[i].kind != VERDICT_UNMODELLED, DECIMALS,
                           e->predictions[i].cycles);
    add_note(table, m, false);
}

static void add_together(struct table *table, const struct lab *lab, const struct experiment *e, unsigned thread) {
    const struct corun *corun = e->corun;
    const struct bench_measurement *m = &corun->together;
    const struct program *own = thread == 0 ? &e->program : &corun->other->program,
                         *other = thread == 0 ? &corun->other->program : &e->program;
    struct row row = {own->kernel, arena_printf(lab->arena, "beside %s", other->kernel), m->cycles,
                      measured_half_width(m), m->verdict == MEASURED_UNSTABLE};
    if (thread != 0) {
        row.cycles = m->corunner;
        row.half_width = half_width_corunner(m);
        row.is_unstable |= is_vague(lab, m);
    }
    add_row(table, &row);
    for (unsigned i = 0; i < lab->models.n_judged; i++)
        row_add_prediction(table, corun->predicted[i].is_known, DECIMALS, corun->predicted[i].cycles[thread]);
    add_note(table, m, thread != 0 && is_vague(lab, m));
}

// Adds the work that both do. Adds up the relative errors of the parts, which may depend on each other.
static void add_combined(struct table *table, const struct lab *lab, const struct experiment *e, bool is_gain) {
    const struct corun *corun = e->corun;
    const struct bench_measurement *m = &corun->together, *a = &e->measurement, *b = &corun->other->measurement;
    const double together[CORUN_THREADS] = {m->cycles, m->corunner}, alone[CORUN_THREADS] = {a->cycles, b->cycles};
    struct row row = {"both", is_gain ? "work done, against one thread" : "cycles per two bodies", 0, 0,
                      m->verdict == MEASURED_UNSTABLE || is_vague(lab, m)};
    bool is_measured = m->samples && a->samples && b->samples && m->corunner > 0;
    if (is_measured) {
        double errors = fmax(measured_half_width(m) / m->cycles, half_width_corunner(m) / m->corunner);
        if (is_gain) {
            errors += fmax(measured_half_width(a) / a->cycles, measured_half_width(b) / b->cycles);
            row.is_unstable |= a->verdict == MEASURED_UNSTABLE || b->verdict == MEASURED_UNSTABLE;
        }
        row.cycles = is_gain ? corun_gain(together, alone) : corun_combined(together);
        row.half_width = errors * row.cycles;
    }
    add_row(table, &row);
    for (unsigned i = 0; i < lab->models.n_judged; i++) {
        const double *predicted = corun->predicted[i].cycles;
        const double predicted_alone[CORUN_THREADS] = {e->predictions[i].cycles, corun->other->predictions[i].cycles};
        bool is_known = corun->predicted[i].is_known;
        row_add_prediction(table, is_known, DECIMALS,
                           !is_known ? 0
                           : is_gain ? corun_gain(predicted, predicted_alone)
                                     : corun_combined(predicted));
    }
    table_cell(table, "%s", "");
}

static void print_one(const struct lab *lab, const struct experiment *e, FILE *out, bool colour) {
    struct table table = {.arena = lab->arena};
    table_column(&table, TABLE_CUT, "kernel");
    table_column(&table, TABLE_WRAP, "measures");
    table_column(&table, TABLE_LEFT, "measured");
    for (unsigned i = 0; i < lab->models.n_judged; i++)
        table_column(&table, TABLE_LEFT, lab->models.judged[i].title);
    table_column(&table, TABLE_NOTE, "");
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
            screen_print_sentence(lab_summary(lab), out);
        if (!has_any && !lab->is_simulated)
            screen_print_sentence(
                arena_printf(lab->arena, "co-runner on CPU %d, measured code on CPU %d: %s",
                             lab->bench.options.corunner_cpu, lab->host.cpu,
                             lab->is_sibling ? "its SMT sibling" : "another core, as far as this system says"),
                out);
        has_any = true;
        print_one(lab, e, out, colour);
    }
}
