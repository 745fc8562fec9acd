#include "report/pipes.h"

#include "base/table.h"
#include "report/rows.h"

#include <math.h>
#include <string.h>

static const double NEGLIGIBLE = 0.0005; // less than three decimals show

// Returns the predicted pressure on a pipe in an iteration, cycles; for the row of all uops, their number. Negative:
// the model has no prediction, or no such resource.
static double predicted(const struct run_report *run, const struct experiment *e, unsigned model,
                        const struct pipe *pipe) {
    const struct prediction *prediction = &e->predictions[model];
    const struct machine *machine = run->models->judged[model].machine; // null: missing, and not modelled
    if (e->verdicts[model].kind == VERDICT_UNMODELLED || !prediction->pressure)
        return -1;
    if (!pipe->resources[0])
        return prediction->uops;
    double sum = -1;
    for (const char *const *name = pipe->resources; *name; name++) {
        const struct resource *resource = machine_resource_named(machine, *name);
        if (resource)
            sum = (sum < 0 ? 0 : sum) + prediction->pressure[resource - machine->resources] * resource->units;
    }
    return sum;
}

static void add_count(struct table *table, const struct bench_event *event, double by) {
    double half_width = fmax(event->high - event->count, event->count - event->low) / by;
    if (event->samples)
        table_cell_colour(table, event->why ? TABLE_YELLOW : TABLE_PLAIN, "%7.3f ±%.3f%s", event->count / by,
                          half_width, event->why ? " ?" : "");
    else if (event->why)
        table_cell_colour(table, TABLE_YELLOW, "%7s", "-");
    else
        table_cell(table, "%7.3f", event->count / by);
}

static void add_cells(struct table *table, const struct run_report *run, const struct experiment *e,
                      const struct bench_event *event, const struct pipe *pipe) {
    double by = row_divisor(e);
    add_count(table, event, by);
    for (unsigned i = 0; i < run->models->n_judged; i++) {
        double value = pipe && i < e->n_predictions ? predicted(run, e, i, pipe) : -1;
        if (value < 0)
            table_cell(table, "%7s", "-");
        else
            table_cell(table, "%7.3f", value / by);
    }
    table_cell(table, "%s", event->why ? event->why : "");
}

static bool is_idle(const struct run_report *run, const struct experiment *e, const struct bench_event *event,
                    const struct pipe *pipe) {
    bool is_idle = event->count < NEGLIGIBLE && !event->why;
    for (unsigned i = 0; i < e->n_predictions; i++)
        is_idle &= predicted(run, e, i, pipe) < NEGLIGIBLE;
    return is_idle;
}

static const struct pipe *pipe_of(const struct run_report *run, const char *event) {
    for (unsigned i = 0; run->pipes && i < run->pipes->n; i++)
        if (strcmp(run->pipes->pipes[i].event, event) == 0)
            return &run->pipes->pipes[i];
    return NULL;
}

// Adds the rows of an experiment. Only the first one names it.
static void add_experiment(struct table *table, const struct run_report *run, const struct experiment *e) {
    bool is_first = true;
    for (unsigned i = 1; i < e->measurement.n_events; i++) { // [0]: instructions, whose number is known
        const struct bench_event *event = &e->measurement.events[i];
        const struct pipe *pipe = pipe_of(run, event->name);
        if (pipe && is_idle(run, e, event, pipe))
            continue;
        table_cell(table, "%s", is_first ? e->program.kernel : "");
        table_cell(table, "%s", is_first ? row_measures(table->arena, e) : "");
        table_cell(table, "%s", is_first ? program_form_name(e->program.form) : "");
        table_cell(table, "%s", pipe ? pipe->name : event->name);
        add_cells(table, run, e, event, pipe);
        is_first = false;
    }
}

void pipes_report_print(const struct run_report *run, const struct plan *plan, FILE *out, bool colour) {
    struct table table = {.arena = run->arena};
    static const char *const titles[] = {"kernel", "measures", "form", "pipe or event", "counted"};
    static const enum table_align aligns[] = {TABLE_CUT, TABLE_WRAP, TABLE_LEFT, TABLE_LEFT, TABLE_LEFT};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_column(&table, aligns[i], titles[i]);
    for (unsigned i = 0; i < run->models->n_judged; i++)
        table_column(&table, TABLE_LEFT, run->models->judged[i].title);
    table_column(&table, TABLE_NOTE, "");
    for (size_t i = 0; i < plan->n_experiments; i++)
        if (plan->experiments[i]->is_done)
            add_experiment(&table, run, plan->experiments[i]);
    if (!table.n_cells)
        return;
    fprintf(out, "\n%s:\n",
            run->models->n_judged ? "uops counted, and the cycles for which the models hold the pipes"
                                  : "events counted");
    table_print(&table, out, colour);
}
