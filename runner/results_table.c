// A runner's results as a table for people. results.c writes the lines of a measurement file.
#include "base/table.h"
#include "base/text.h"
#include "bench/bench.h"
#include "runner/results.h"

#include <math.h>
#include <string.h>

// Adds an event: "r1b 12.000 ±0.010", "r1c - (why)".
static void add_event(struct text *text, const struct bench_event *event) {
    if (event->samples)
        text_addf(text, "%s %.3f ±%.3f%s", event->name, event->count,
                  fmax(event->high - event->count, event->count - event->low), event->why ? " ?" : "");
    else
        text_addf(text, "%s -", event->name);
    if (event->why)
        text_addf(text, " (%s)", event->why);
}

// Returns the notes on a value and its events. Where the value has a note, only events with a reason are listed.
static const char *note(struct arena *arena, const struct bench_measurement *m) {
    const char *of_value = m->verdict == MEASURED_UNSTABLE ? m->why : m->warning;
    struct text text = {.arena = arena};
    text_add(&text, of_value ? of_value : "");
    for (unsigned i = 0; i < m->n_events; i++) {
        if (of_value && !m->events[i].why)
            continue;
        text_add(&text, text.length ? ", " : "");
        add_event(&text, &m->events[i]);
    }
    return text.data;
}

// Returns "latency d->x", without the arc where one register is both ends; "throughput, own-lines".
static const char *measures(struct arena *arena, const struct pack_program *program) {
    if (program->mode && program->placement)
        return arena_printf(arena, "%s, %s", program->mode, program->placement);
    const char *mode = program->mode ? program->mode : "", *arrow = program->arc ? strstr(program->arc, "->") : NULL;
    size_t n = arrow ? (size_t)(arrow - program->arc) : 0;
    if (!arrow || (strlen(arrow + 2) == n && strncmp(program->arc, arrow + 2, n) == 0))
        return mode;
    return arena_printf(arena, "%s %s", mode, program->arc);
}

static void add_row(struct table *table, const struct pack_program *program, const struct bench_measurement *m) {
    bool is_unstable = m->verdict == MEASURED_UNSTABLE;
    table_cell(table, "%s", program->kernel);
    table_cell(table, "%s", measures(table->arena, program));
    table_cell(table, "%s", program->form ? program->form : "");
    table_cell(table, "%u", program->streams);
    if (m->is_about)
        table_cell(table, "≈%.3f", m->cycles);
    else if (m->samples)
        table_cell(table, "%.3f ±%.3f%s", m->cycles, measured_half_width(m), is_unstable ? " ?" : "");
    else
        table_cell(table, "-");
    if (m->outcome != BENCH_OK)
        table_cell(table, "%s", bench_outcome_name(m->outcome));
    else
        table_cell(table, "%s", note(table->arena, m));
}

void results_print(FILE *out, struct arena *arena, const struct pack *pack,
                   const struct bench_measurement *measurements) {
    struct table table = {.arena = arena};
    static const char *const titles[] = {"kernel", "measures", "form", "n", "cycles per iteration", ""};
    static const enum table_align aligns[] = {TABLE_CUT, TABLE_WRAP, TABLE_LEFT, TABLE_RIGHT, TABLE_LEFT, TABLE_NOTE};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_column(&table, aligns[i], titles[i]);
    for (size_t i = 0; i < pack->n_programs; i++)
        if (!pack->programs[i].role && measurements[i].outcome != BENCH_STOPPED)
            add_row(&table, &pack->programs[i], &measurements[i]);
    table_print(&table, out, false);
}
