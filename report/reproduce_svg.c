// The picture of a sweep: n against cycles, published, predicted and measured.
#include "report/reproduce.h"

#include "base/svg.h"

#include <math.h>

enum { WIDTH = 720, HEIGHT = 460, LEFT = 60, RIGHT = 200, TOP = 50, BOTTOM = 70 };

struct plot {
    struct svg *svg;
    struct arena *arena;
    unsigned first, last;
    double most; // upper end of the axis, cycles
    unsigned n_legends;
};

static double x_of(const struct plot *plot, unsigned n) {
    double span = plot->last > plot->first ? plot->last - plot->first : 1;
    return LEFT + 10 + (n - plot->first) / span * (WIDTH - LEFT - RIGHT - 20);
}

static double y_of(const struct plot *plot, double cycles) {
    return HEIGHT - BOTTOM - cycles / plot->most * (HEIGHT - TOP - BOTTOM);
}

static void draw_axes(const struct plot *plot) {
    struct svg *svg = plot->svg;
    double step = plot->most > 40 ? 10 : plot->most > 12 ? 2 : 1;
    for (int i = 0; i * step <= plot->most; i++) {
        double c = i * step;
        svg_line(svg, LEFT, y_of(plot, c), WIDTH - RIGHT, y_of(plot, c), "#dddddd", false);
        svg_label(svg, LEFT - 8, y_of(plot, c) + 4, SVG_END, 12, arena_printf(plot->arena, "%g", c));
    }
    for (unsigned n = plot->first; n <= plot->last; n++)
        svg_label(svg, x_of(plot, n), HEIGHT - BOTTOM + 18, SVG_MIDDLE, 12, arena_printf(plot->arena, "%u", n));
    svg_label(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - BOTTOM + 38, SVG_MIDDLE, 13, "n, independent streams");
    svg_label(svg, 14, TOP - 12, SVG_START, 13, "cycles for all n");
}

// Adds a legend. `width`: width of its line, pixels; 0: circles.
static void add_legend(struct plot *plot, const char *text, const char *colour, double width) {
    double x = WIDTH - RIGHT + 16, y = TOP + 10 + 24.0 * plot->n_legends++;
    if (width == 0)
        svg_circle(plot->svg, x + 10, y, 5, "none", colour);
    else
        svg_polyline(plot->svg, (double[]){x, y, x + 20, y}, 2, colour, width);
    svg_label(plot->svg, x + 28, y + 4, SVG_START, 12, text);
}

// Draws a line through the values, with gaps where one is missing.
static void draw_line(struct plot *plot, const double *values, const char *text, const char *colour, double width) {
    if (!values)
        return;
    double *points = ARENA_ARRAY(plot->arena, double, 2 * ((size_t)plot->last - plot->first + 1));
    size_t n = 0;
    for (unsigned i = 0; i <= plot->last - plot->first; i++) {
        if (!isnan(values[i])) {
            points[2 * n] = x_of(plot, plot->first + i);
            points[2 * n++ + 1] = y_of(plot, values[i]);
        }
        if (n > 0 && (isnan(values[i]) || i == plot->last - plot->first)) {
            svg_polyline(plot->svg, points, n, colour, width);
            n = 0;
        }
    }
    add_legend(plot, text, colour, width);
}

static double highest(const struct reproduced_value *value) {
    const double *all[] = {value->reference->published, value->predicted,     value->repaired, value->measured,
                           value->predicted_other,      value->measured_other};
    double most = 1;
    for (size_t s = 0; s < sizeof all / sizeof *all; s++)
        for (size_t i = 0; all[s] && i < value->reference->n; i++)
            most = all[s][i] > most ? all[s][i] : most; // false for NaN
    return ceil(most + 0.5);
}

bool reproduce_svg(struct arena *arena, const struct reproduction *reproduction, const char *path, struct fail *fail) {
    const struct reference *reference = reproduction->reference;
    const struct reproduced_value *value = &reproduction->values[0];
    if (reference->kind != REFERENCE_SWEEP)
        return fail_set(fail, FAIL_INPUT, "--svg draws sweeps; '%s' is not a sweep", reference->name);
    struct svg svg = svg_open(arena, WIDTH, HEIGHT);
    struct plot plot = {&svg,           arena, reference->first, reference->first + (unsigned)value->reference->n - 1,
                        highest(value), 0};
    const char *form = reference->is_looped ? "looped" : "unrolled",
               *other = reference->is_looped ? "unrolled" : "looped";
    svg_label(&svg, 14, 22, SVG_START, 15, arena_printf(arena, "%s: %s", reference->name, reference->kernel));
    svg_label(&svg, 14, HEIGHT - 6, SVG_START, 10, reference->source);
    draw_axes(&plot);
    draw_line(&plot, value->predicted_other, arena_printf(arena, "%s, %s", reference->model, other), "#a0cbe8", 7);
    draw_line(&plot, value->measured_other, arena_printf(arena, "measured here, %s", other), "#ffbe7d", 7);
    draw_line(&plot, value->predicted, arena_printf(arena, "%s, %s", reference->model, form), "#4e79a7", 2);
    draw_line(&plot, value->measured, arena_printf(arena, "measured here, %s", form), "#f28e2b", 2);
    for (unsigned i = 0; i < value->reference->n; i++)
        svg_circle(&svg, x_of(&plot, plot.first + i), y_of(&plot, value->reference->published[i]), 5, "none",
                   "#333333");
    add_legend(&plot, arena_printf(arena, "published, %s", form), "#333333", 0);
    return svg_save(&svg, path, fail);
}
