#include "analyzer/views/columns.h"
#include "analyzer/views/views.h"

enum { COLUMN_WIDTH = 7, LEGEND_WIDTH = 6 };

static bool has_columns(const struct resource *resource) {
    return !resource->is_group && resource->units != 0;
}

// "[3]", or "[3.1]" for one of several units.
static void print_label(struct columns *line, unsigned number, unsigned unit, unsigned n_units) {
    columns_add(line, "[");
    columns_add_count(line, number, 0);
    if (n_units > 1) {
        columns_add(line, ".");
        columns_add_count(line, unit, 0);
    }
    columns_add(line, "]");
}

static void print_legend(FILE *out, const struct machine *machine) {
    unsigned number = 0;
    for (unsigned r = 1; r < machine->n_resources; r++) {
        const struct resource *resource = &machine->resources[r];
        for (unsigned unit = 0; has_columns(resource) && unit < resource->units; unit++) {
            struct columns line = {.out = out};
            print_label(&line, number, unit, resource->units);
            columns_pad(&line, LEGEND_WIDTH);
            columns_add(&line, "- ");
            columns_add(&line, resource->name);
            columns_add(&line, "\n");
        }
        number += has_columns(resource);
    }
}

static void print_titles(FILE *out, const struct machine *machine) {
    struct columns line = {.out = out};
    unsigned number = 0, column = 0;
    for (unsigned r = 1; r < machine->n_resources; r++) {
        const struct resource *resource = &machine->resources[r];
        for (unsigned unit = 0; has_columns(resource) && unit < resource->units; unit++) {
            print_label(&line, number, unit, resource->units);
            columns_pad(&line, column += COLUMN_WIDTH);
        }
        number += has_columns(resource);
    }
}

static uint64_t n_iterations(const struct resource_pressure_view *view) {
    return view->last_index / view->block->n_insns + 1;
}

static double held_cycles(const struct resource_pressure_view *view, size_t cell) {
    return (double)view->held[cell] / (double)view->parts;
}

static void print_row(FILE *out, const struct resource_pressure_view *view, unsigned row) {
    struct columns line = {.out = out};
    double iterations = (double)n_iterations(view);
    for (unsigned c = 0; c < view->n_columns; c++) {
        double pressure = held_cycles(view, (size_t)row * view->n_columns + c) / iterations;
        if (pressure < 0.005)
            columns_add(&line, " - ");
        else
            columns_add_hundredths(&line, columns_rounded(pressure, 100));
        columns_pad(&line, (c + 1) * COLUMN_WIDTH);
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
        fputs(view->block->insns[i].text, out);
        putc_unlocked('\n', out);
    }
}

void resource_pressure_view_json(const struct resource_pressure_view *view, struct json_text *json) {
    json_open(json, "ResourcePressureView");
    json_open_list(json, "ResourcePressureInfo");
    for (size_t cell = 0; cell < ((size_t)view->block->n_insns + 1) * view->n_columns; cell++) {
        if (view->held[cell] == 0)
            continue;
        json_open(json, NULL);
        json_put_integer(json, "InstructionIndex", (int64_t)(cell / view->n_columns));
        json_put_integer(json, "ResourceIndex", (int64_t)(cell % view->n_columns));
        json_put_exact(json, "ResourceUsage", held_cycles(view, cell) / (double)n_iterations(view));
        json_close(json);
    }
    json_close_list(json);
    json_close(json);
}
