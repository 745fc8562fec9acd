// Pictures as SVG, for reports: a few shapes, written as text. Sizes are in pixels, places in pixels from the top left
// corner. Not a drawing library: no transformation, no path.
#ifndef BASE_SVG_H
#define BASE_SVG_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct svg {
    struct text text;
    double width, height;
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END }; // part of a text that is at its place

struct svg svg_open(struct arena *arena, double width, double height); // begins a white picture
// Colours are SVG's: "#4e79a7", "none".
void svg_box(struct svg *svg, double x, double y, double width, double height, const char *fill, const char *stroke,
             bool is_dashed);
void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *stroke, bool is_dashed);
void svg_circle(struct svg *svg, double x, double y, double radius, const char *fill, const char *stroke);
// Draws a line through `n` points; `points`: x and y of each.
void svg_polyline(struct svg *svg, const double *points, size_t n, const char *stroke, double width);
void svg_label(struct svg *svg, double x, double y, enum svg_anchor anchor, double size, const char *string);
// Ends the picture and writes it ("-": to standard output). Fails where it cannot be written.
bool svg_save(struct svg *svg, const char *path, struct fail *fail);

#endif
