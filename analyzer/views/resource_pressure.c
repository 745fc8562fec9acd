#include "analyzer/views/views.h"

#include <math.h>
#include <stdarg.h>

enum { COLUMN_WIDTH = 7, LEGEND_WIDTH = 6 };

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)uops;
    (void)registers;
    ((struct resource_pressure_view *)self)->last_index = insn->index;
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct resource_pressure_view *view = self;
    uint64_t *row = &view->cycles[(size_t)insn->position * view->n_columns];
    uint64_t *sum = &view->cycles[(size_t)view->block->n_insns * view->n_columns];
    for (unsigned i = 0; i < n_uses; i++) {
        unsigned column = view->first_column[uses[i].resource] + uses[i].unit;
        row[column] += uses[i].cycles;
        sum[column] += uses[i].cycles;
    }
}

static bool has_columns(const struct resource *resource) {
    return !resource->is_group && resource->units != 0;
}

void resource_pressure_view_init(struct resource_pressure_view *view, const struct machine *machine,
                                 const struct block *block, struct arena *arena) {
    unsigned *first_column = ARENA_ARRAY(arena, unsigned, machine->n_resources);
    unsigned n_columns = 0;
    for (unsigned r = 1; r < machine->n_resources; r++) {
        first_column[r] = n_columns;
        n_columns += has_columns(&machine->resources[r]) ? machine->resources[r].units : 0;
    }
    *view = (struct resource_pressure_view){
        .listener = {.self = view, .dispatched = on_dispatched, .issued = on_issued},
        .machine = machine,
        .block = block,
        .first_column = first_column,
        .n_columns = n_columns,
        .cycles = ARENA_ARRAY(arena, uint64_t, ((size_t)block->n_insns + 1) * n_columns),
    };
}

// A line of columns. A cell too wide for its column is followed by one blank and moves the next ones, if need be.
struct line {
    FILE *out;
    int at, column; // characters printed; where the last column ended
};

__attribute__((format(printf, 3, 4))) static void print_cell(struct line *line, int width, const char *format, ...) {
    va_list args;
    va_start(args, format);
    line->at += vfprintf(line->out, format, args);
    va_end(args);
    line->column += width;
    int blanks = line->column > line->at ? line->column - line->at : 1;
    line->at += fprintf(line->out, "%*s", blanks, "");
}

// "[3]", or "[3.1]" for one of several units.
static void print_label(struct line *line, int width, unsigned number, unsigned unit, unsigned n_units) {
    if (n_units > 1)
        print_cell(line, width, "[%u.%u]", number, unit);
    else
        print_cell(line, width, "[%u]", number);
}

static void print_legend(FILE *out, const struct machine *machine) {
    unsigned number = 0;
    for (unsigned r = 1; r < machine->n_resources; r++) {
        const struct resource *resource = &machine->resources[r];
        for (unsigned unit = 0; has_columns(resource) && unit < resource->units; unit++) {
            struct line line = {.out = out};
            print_label(&line, LEGEND_WIDTH, number, unit, resource->units);
            fprintf(out, "- %s\n", resource->name);
        }
        number += has_columns(resource);
    }
}

static void print_titles(FILE *out, const struct machine *machine) {
    struct line line = {.out = out};
    unsigned number = 0;
    for (unsigned r = 1; r < machine->n_resources; r++) {
        const struct resource *resource = &machine->resources[r];
        for (unsigned unit = 0; has_columns(resource) && unit < resource->units; unit++)
            print_label(&line, COLUMN_WIDTH, number, unit, resource->units);
        number += has_columns(resource);
    }
}

static void print_row(FILE *out, const struct resource_pressure_view *view, unsigned row) {
    struct line line = {.out = out};
    uint64_t n_iterations = view->last_index / view->block->n_insns + 1;
    double iterations = (double)n_iterations;
    for (unsigned c = 0; c < view->n_columns; c++) {
        double pressure = (double)view->cycles[(size_t)row * view->n_columns + c] / iterations;
        if (pressure < 0.005)
            print_cell(&line, COLUMN_WIDTH, " - ");
        else
            print_cell(&line, COLUMN_WIDTH, "%.2f", floor(pressure * 100 + 0.5) / 100);
    }
}

void resource_pressure_view_print(const struct resource_pressure_view *view, FILE *out) {
    fputs("\n\nResources:\n", out);
    print_legend(out, view->machine);
    fputs("\n\nResource pressure per iteration:\n", out);
    print_titles(out, view->machine);
    fputc('\n', out);
    print_row(out, view, view->block->n_insns);
    fputs("\n\nResource pressure by instruction:\n", out);
    print_titles(out, view->machine);
    fputs("Instructions:\n", out);
    for (unsigned i = 0; i < view->block->n_insns; i++) {
        print_row(out, view, i);
        fprintf(out, "%s\n", view->block->insns[i].text);
    }
}
