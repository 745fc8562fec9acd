#include "report/run.h"

#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "bench/bench.h"
#include "report/aliases.h"
#include "report/forms.h"
#include "report/pipes.h"
#include "report/rows.h"
#include "report/shared.h"

#include <math.h>
#include <string.h>

// Adds columns for the models' results: for one model, and for sweeps. `rows`: experiments of the table.
static void add_model_titles(struct table *table, const struct run_report *run, const struct experiment *const *rows,
                             size_t n_rows) {
    for (unsigned i = 0; i < run->models->n_judged; i++) {
        if (model_is_shared(run, rows, n_rows, i))
            continue;
        table_column(table, TABLE_LEFT, model_shared_title(run, rows, n_rows, i));
        table_column(table, TABLE_BESIDE, "difference");
    }
    table_column(table, TABLE_NOTE, "");
}

// Values below one cycle are often sixths or twelfths, for which two decimals do not suffice.
static int decimals_of(double cycles) {
    return cycles < 0.995 ? 3 : 2;
}

static int decimals(const struct experiment *e) {
    if (e->program.mode == PROGRAM_THROUGHPUT && !e->is_sweep)
        return 3;
    return e->measurement.samples ? decimals_of(e->measurement.cycles) : 2;
}

static void add_measured(struct table *table, const struct experiment *e) {
    const struct bench_measurement *m = &e->measurement;
    if (m->samples == 0) {
        table_cell_colour(table, TABLE_YELLOW, "%5s", "-");
        return;
    }
    double by = row_divisor(e);
    bool is_unstable = m->verdict == MEASURED_UNSTABLE;
    if (m->is_about) // its error is not known
        table_cell_colour(table, TABLE_YELLOW, "≈%.*f", decimals(e), m->cycles / by);
    else
        table_cell_colour(table, is_unstable ? TABLE_YELLOW : TABLE_PLAIN, "%5.*f ±%.*f%s", decimals(e), m->cycles / by,
                          decimals(e), measured_half_width(m) / by, is_unstable ? " ?" : "");
}

static void add_difference(struct table *table, const struct verdict *verdict) {
    double percent = round(verdict->difference * 100);
    enum table_colour colour = verdict->kind == VERDICT_AGREE    ? TABLE_GREEN
                               : verdict->kind == VERDICT_UNSURE ? TABLE_YELLOW
                                                                 : TABLE_RED;
    if (percent == 0)
        table_cell_colour(table, colour, "0 %%");
    else
        table_cell_colour(table, colour, "%+.0f %%", percent);
}

static void add_part(struct text *note, const char *part) {
    text_addf(note, "%s%s", note->length && *part ? "; " : "", part);
}

// Adds notes on the value itself.
static void add_value_notes(struct text *note, const struct run_report *run, const struct experiment *e) {
    const char *why = e->measurement.why ? e->measurement.why : "", *of_clock = run->clock_unstable_why;
    if (e->measurement.verdict == MEASURED_UNSTABLE && of_clock && strcmp(why, of_clock) == 0)
        add_part(note, "unstable, as the clock is (above)");
    else if (e->measurement.is_about)
        add_part(note, why);
    else if (e->measurement.verdict == MEASURED_UNSTABLE)
        add_part(note, arena_printf(note->arena, "unstable: %s", why));
    else if (e->misuse)
        add_part(note, e->misuse);
    else if (e->measurement.warning)
        add_part(note, e->measurement.warning);
}

static const char *short_path(struct arena *arena, const struct path *path) {
    const char *text = arena_printf(arena, "%u of %u instructions ran", path->n_ran, path->n_insns);
    return path->has_idle_loop ? arena_printf(arena, "%s; the loop at 0x%zx did not", text, path->idle_loop) : text;
}

// Other layouts with a stable value of their own.
static unsigned count_stable_layouts(const struct bench_measurement *m) {
    unsigned n = 0;
    for (unsigned i = 0; i < m->n_replicates; i++)
        n += m->replicates[i].verdict != MEASURED_UNSTABLE;
    return n;
}

static bool is_the_same_elsewhere(const struct bench_measurement *m) {
    return count_stable_layouts(m) && m->verdict != MEASURED_UNSTABLE && !m->warning;
}

// Whether the end of a loop inside may be predicted in a longer run and not in this one, and that is some percent.
static bool has_doubtful_end(const struct experiment *e) {
    // A Zen 4 has two times of loops of 14 and of 20 turns, and one of 10 and fewer; and two of one that is left after
    // 1, 2, 3 and 4 turns.
    static const double fewest_turns = 12, most_cycles = 4000;
    if (is_the_same_elsewhere(&e->measurement))
        return false;
    return fmax(e->path.longest_loop, e->path.n_turns) >= fewest_turns && e->measurement.cycles < most_cycles;
}

static const char *doubtful_end(struct arena *arena, const struct path *path) {
    static const char hint[] = "where a CPU learns to predict that, it takes less";
    return path->n_turns > path->longest_loop
               ? arena_printf(arena, "a loop inside is left %.3g times in each pass, after %.3g turns in all: %s",
                              path->n_left, path->n_turns, hint)
               : arena_printf(arena, "a loop inside is left after %.0f turns: %s", path->longest_loop, hint);
}

static void add_other_notes(struct text *note, const struct experiment *e) {
    if (e->seen.set)
        add_part(note, arena_printf(note->arena, "starts with %s", e->seen.set));
    if (e->seen.init)
        add_part(note, "code of --init runs before it");
    if (e->seen.walks && e->measurement.seen.most_iterations)
        add_part(note, arena_printf(note->arena, "walks over pages: at most %llu iterations at a time",
                                    (unsigned long long)e->measurement.seen.most_iterations));
    if (path_is_short(&e->path))
        add_part(note, short_path(note->arena, &e->path));
    if (has_doubtful_end(e))
        add_part(note, doubtful_end(note->arena, &e->path));
    if (e->followed.instructions > 0)
        add_part(note, "predicted along the branches taken here, without a misprediction");
    if (is_the_same_elsewhere(&e->measurement))
        add_part(note, arena_printf(note->arena, "the same in %s",
                                    text_count(note->arena, count_stable_layouts(&e->measurement), "other layout")));
}

// Returns the blame. A number that does not mean what it claims cannot blame a model.
static const char *blame(const struct experiment *e, unsigned model) {
    return e->misuse ? "" : e->verdicts[model].blame;
}

// Whose numbers a CPU file's prediction stands on, and what the file does not know of the block. `title`: null: there
// is one model.
static void add_basis(struct text *note, const struct experiment *e, unsigned model, const char *title) {
    const struct prediction *prediction = &e->predictions[model];
    const char *of = title ? arena_printf(note->arena, "%s: ", title) : "";
    if (prediction->n_by_llvm)
        add_part(note, arena_printf(note->arena, "%s%u of %s by LLVM's numbers", of, prediction->n_by_llvm,
                                    text_count(note->arena, prediction->n_insns, "instruction")));
    for (size_t i = 0; i < prediction->n_notes; i++)
        add_part(note, arena_printf(note->arena, "%s%s", of, prediction->notes[i]));
}

// `rows`: those of the table; null: each row by itself.
static void add_blames(struct text *note, const struct run_report *run, const struct experiment *e,
                       const struct experiment *const *rows, size_t n_rows) {
    rows = rows ? rows : &e;
    n_rows = n_rows ? n_rows : 1;
    for (unsigned i = 0; i < e->n_predictions; i++) {
        const char *title = model_shared_title(run, rows, n_rows, i);
        if (*blame(e, i) && !model_is_shared(run, rows, n_rows, i))
            add_part(note,
                     e->n_predictions == 1 ? blame(e, i) : arena_printf(note->arena, "%s: %s", title, blame(e, i)));
        if (!e->is_sweep && !model_is_shared(run, rows, n_rows, i))
            add_basis(note, e, i, e->n_predictions == 1 ? NULL : title);
    }
}

static void add_prediction(struct table *table, const struct experiment *e, unsigned model) {
    bool is_known = e->verdicts[model].kind != VERDICT_UNMODELLED;
    row_add_prediction(table, is_known, decimals(e), e->predictions[model].cycles / row_divisor(e));
    if (is_known && e->measurement.samples)
        add_difference(table, &e->verdicts[model]);
    else
        table_cell(table, "%s", "");
}

// `rows`: those of the table.
static void add_results(struct table *table, const struct run_report *run, const struct experiment *e,
                        const struct experiment *const *rows, size_t n_rows) {
    struct text note = {.arena = table->arena};
    text_add(&note, "");
    add_measured(table, e);
    for (unsigned i = 0; i < e->n_predictions; i++)
        if (!model_is_shared(run, rows, n_rows, i))
            add_prediction(table, e, i);
    add_value_notes(&note, run, e);
    add_blames(&note, run, e, rows, n_rows);
    add_other_notes(&note, e);
    table_cell(table, "%s", note.data);
}

static void add_subject(struct table *table, const struct experiment *e) {
    table_cell(table, "%s", e->program.kernel);
    table_cell(table, "%s", row_measures(table->arena, e));
    table_cell(table, "%s", program_form_name(e->program.form));
}

// Adds a row with the measurement, and one for each model.
static void add_rows(struct table *table, const struct run_report *run, const struct experiment *e) {
    struct text note = {.arena = table->arena};
    text_add(&note, "");
    add_subject(table, e);
    add_measured(table, e);
    table_cell(table, "%s", "");
    add_value_notes(&note, run, e);
    add_other_notes(&note, e);
    table_cell(table, "%s", note.data);
    for (unsigned i = 0; i < e->n_predictions; i++) {
        if (model_is_shared(run, &e, 1, i))
            continue;
        table_cell(table, "%s", "");
        table_cell(table, "  %s", model_shared_title(run, &e, 1, i));
        table_cell(table, "%s", "");
        add_prediction(table, e, i);
        struct text of_model = {.arena = table->arena};
        text_add(&of_model, blame(e, i));
        add_basis(&of_model, e, i, NULL);
        table_cell(table, "%s", of_model.data);
    }
}

static void print_summary(const struct run_report *run, const struct plan *plan, FILE *out, bool colour) {
    struct table table = {.arena = run->arena};
    bool has_rows = run->models->n_judged > 1;
    table_column(&table, TABLE_CUT, "kernel");
    table_column(&table, TABLE_WRAP, has_rows ? "measures, or model" : "measures");
    table_column(&table, TABLE_LEFT, "form");
    table_column(&table, TABLE_LEFT, has_rows ? "cycles" : "measured");
    if (has_rows) {
        table_column(&table, TABLE_RIGHT, "difference");
        table_column(&table, TABLE_NOTE, "");
    } else {
        add_model_titles(&table, run, NULL, 0);
    }
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const struct experiment *e = plan->experiments[i];
        if (!e->is_done || aliases_agree(plan, i))
            continue;
        if (has_rows) {
            add_rows(&table, run, e);
        } else {
            add_subject(&table, e);
            add_results(&table, run, e, NULL, 0);
        }
    }
    if (table.n_cells)
        table_print(&table, out, colour);
}

static bool is_of(const struct experiment *e, const char *kernel) {
    return e->is_done && strcmp(e->program.kernel, kernel) == 0;
}

// Prints "vfmadd231ps zmm    latency 4.00   reciprocal throughput 0.50" for one kernel.
static void print_headline(struct arena *arena, const struct plan *plan, const char *kernel, FILE *out) {
    struct text line = {.arena = arena};
    bool has_throughput = false; // further ones have other placements
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const struct experiment *e = plan->experiments[i];
        if (!is_of(e, kernel))
            continue;
        if (!line.length)
            text_add(&line, e->program.label);
        if (e->is_sweep || !e->measurement.samples)
            continue;
        bool is_about = e->measurement.is_about;
        const char *mark = e->measurement.verdict == MEASURED_UNSTABLE && !is_about ? "?" : "";
        if (e->program.mode == PROGRAM_LATENCY)
            text_addf(&line, "   %s %s%.2f%s", row_measures(arena, e), is_about ? "≈" : "", e->measurement.cycles,
                      mark);
        else {
            double each = e->measurement.cycles / row_divisor(e);
            text_addf(&line, "%s %s%.*f%s%s", has_throughput ? ";" : "   reciprocal throughput", is_about ? "≈" : "",
                      decimals_of(each), each, mark, row_placement(arena, e->program.placement));
            has_throughput = true;
        }
    }
    if (line.length)
        screen_print_sentence(line.data, out);
}

// Whether an experiment belongs to the table of a sweep. One stream is the same in every placement, and belongs to
// each.
static bool is_of_sweep(const struct experiment *e, const char *kernel, enum program_form form,
                        enum program_placement placement) {
    return is_of(e, kernel) && e->is_sweep && e->program.form == form &&
           (e->program.placement == placement || e->program.placement == PLACEMENT_NONE);
}

// Once for all rows, by the last one: they differ in the number of copies only.
static void print_basis_of_sweep(const struct run_report *run, const struct experiment *const *rows, size_t n_rows,
                                 FILE *out) {
    struct text note = {.arena = run->arena};
    const struct experiment *last = n_rows ? rows[n_rows - 1] : NULL;
    for (unsigned i = 0; last && i < last->n_predictions; i++)
        if (!model_is_shared(run, rows, n_rows, i))
            add_basis(&note, last, i, model_shared_title(run, rows, n_rows, i));
    if (note.length)
        screen_print_sentence(arena_printf(run->arena, "n = %u: %s", last->program.streams, note.data), out);
}

static void print_sweep(const struct run_report *run, const struct plan *plan, const char *kernel,
                        enum program_form form, enum program_placement placement, FILE *out, bool colour) {
    struct table table = {.arena = run->arena};
    table_column(&table, TABLE_RIGHT, "n");
    table_column(
        &table, TABLE_LEFT,
        arena_printf(run->arena, "measured, %s%s", program_form_name(form), row_placement(run->arena, placement)));
    const struct experiment **rows = ARENA_ARRAY(run->arena, const struct experiment *, plan->n_experiments);
    size_t n_rows = 0;
    for (size_t i = 0; i < plan->n_experiments; i++)
        if (is_of_sweep(plan->experiments[i], kernel, form, placement))
            rows[n_rows++] = plan->experiments[i];
    add_model_titles(&table, run, rows, n_rows);
    for (size_t i = 0; i < n_rows; i++) {
        table_cell(&table, "%u", rows[i]->program.streams);
        add_results(&table, run, rows[i], rows, n_rows);
    }
    if (table.n_cells)
        table_print(&table, out, colour);
    print_basis_of_sweep(run, rows, n_rows, out);
}

// Prints a table for each form and placement of the kernel's sweeps.
static void print_sweeps_of(const struct run_report *run, const struct plan *plan, const char *kernel, FILE *out,
                            bool colour) {
    static const enum program_form forms[] = {PROGRAM_LOOPED, PROGRAM_UNROLLED};
    for (int i = 0; i < 2; i++) {
        unsigned found = 0; // a bit for each placement
        for (size_t k = 0; k < plan->n_experiments; k++)
            if (is_of(plan->experiments[k], kernel) && plan->experiments[k]->is_sweep &&
                plan->experiments[k]->program.form == forms[i])
                found |= 1U << plan->experiments[k]->program.placement;
        for (enum program_placement placement = PLACEMENT_NONE; placement < PROGRAM_N_PLACEMENTS; placement++)
            if (found >> placement & 1 && (placement != PLACEMENT_NONE || found == 1))
                print_sweep(run, plan, kernel, forms[i], placement, out, colour);
    }
}

static void print_sweeps(const struct run_report *run, const struct plan *plan, FILE *out, bool colour) {
    const char *last = NULL;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const char *kernel = plan->experiments[i]->program.kernel;
        if (last && strcmp(last, kernel) == 0)
            continue;
        last = kernel;
        print_headline(run->arena, plan, kernel, out);
        print_sweeps_of(run, plan, kernel, out, colour);
    }
}

struct run_report run_report_of(const struct lab *lab) {
    return (struct run_report){.arena = lab->arena,
                               .models = &lab->models,
                               .is_brief = lab->is_brief,
                               .summary = lab->bench.target ? lab_summary(lab) : NULL,
                               .clock_unstable_why = lab->bench.unstable_why,
                               .pipes = &lab->pipes};
}

void run_report_print(const struct run_report *run, const struct plan *plan, FILE *out, bool colour) {
    bool has_sweep = false, has_result = false;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        has_sweep |= plan->experiments[i]->is_sweep;
        has_result |= plan->experiments[i]->is_done;
    }
    if (!has_result)
        return;
    screen_print_sentence(run->summary, out);
    if (has_sweep)
        print_sweeps(run, plan, out, colour);
    else
        print_summary(run, plan, out, colour);
    forms_print(run->arena, plan, out);
    aliases_print(run->arena, plan, out);
    pipes_report_print(run, plan, out, colour);
}
