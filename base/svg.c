#include "base/svg.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

struct svg svg_open(struct arena *arena, double width, double height) {
    struct svg svg = {.text = {.arena = arena}, .width = width, .height = height};
    text_addf(&svg.text,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
              "font-family=\"sans-serif\">\n",
              width, height, width, height);
    svg_box(&svg, 0, 0, width, height, "#ffffff", "none", false);
    return svg;
}

static const char *dash(bool is_dashed) {
    return is_dashed ? " stroke-dasharray=\"4 3\"" : "";
}

void svg_box(struct svg *svg, double x, double y, double width, double height, const char *fill, const char *stroke,
             bool is_dashed) {
    text_addf(&svg->text, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" fill=\"%s\" stroke=\"%s\"%s/>\n",
              x, y, width, height, fill, stroke, dash(is_dashed));
}

void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *stroke, bool is_dashed) {
    text_addf(&svg->text, "<line x1=\"%.6g\" y1=\"%.6g\" x2=\"%.6g\" y2=\"%.6g\" stroke=\"%s\"%s/>\n", x1, y1, x2, y2,
              stroke, dash(is_dashed));
}

void svg_circle(struct svg *svg, double x, double y, double radius, const char *fill, const char *stroke) {
    text_addf(&svg->text, "<circle cx=\"%.6g\" cy=\"%.6g\" r=\"%.6g\" fill=\"%s\" stroke=\"%s\" stroke-width=\"2\"/>\n",
              x, y, radius, fill, stroke);
}

void svg_polyline(struct svg *svg, const double *points, size_t n, const char *stroke, double width) {
    text_add(&svg->text, "<polyline points=\"");
    for (size_t i = 0; i < n; i++)
        text_addf(&svg->text, "%s%.6g,%.6g", i ? " " : "", points[2 * i], points[2 * i + 1]);
    text_addf(&svg->text, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"/>\n", stroke, width);
}

static void add_escaped(struct text *text, const char *string) {
    for (const char *c = string; *c; c++) {
        if (*c == '<')
            text_add(text, "&lt;");
        else if (*c == '>')
            text_add(text, "&gt;");
        else if (*c == '&')
            text_add(text, "&amp;");
        else if ((unsigned char)*c >= ' ') // XML forbids other control characters
            text_append(text, c, 1);
        else
            text_add(text, " ");
    }
}

void svg_label(struct svg *svg, double x, double y, enum svg_anchor anchor, double size, const char *string) {
    static const char *const anchors[] = {"start", "middle", "end"};
    text_addf(&svg->text, "<text x=\"%.6g\" y=\"%.6g\" text-anchor=\"%s\" font-size=\"%g\">", x, y, anchors[anchor],
              size);
    add_escaped(&svg->text, string);
    text_add(&svg->text, "</text>\n");
}

bool svg_save(struct svg *svg, const char *path, struct fail *fail) {
    text_add(&svg->text, "</svg>\n");
    if (strcmp(path, "-") != 0)
        return file_write(path, svg->text.data, svg->text.length, fail);
    return fwrite(svg->text.data, 1, svg->text.length, stdout) == svg->text.length ||
           fail_set(fail, FAIL_INPUT, "cannot write the picture");
}
