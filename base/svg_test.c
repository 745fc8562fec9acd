// Pictures are well-formed, and texts in them are escaped.
#include "base/file.h"
#include "base/svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void a_picture_is_what_was_drawn(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct svg svg = svg_open(&arena, 30, 20.5);
    svg_box(&svg, 1, 2, 3, 4, "#112233", "none", true);
    svg_line(&svg, 0, 0, 10, 10, "#000000", false);
    svg_polyline(&svg, (double[]){1, 2, 3.5, 4}, 2, "#000000", 2);
    svg_label(&svg, 5, 6, SVG_END, 12, "a<b & \"c\">\td");
    const char *path = arena_printf(&arena, "/tmp/cyclops-svg-%d.svg", (int)getpid());
    assert_true(svg_save(&svg, path, &fail));
    char *text;
    assert_true(file_read(&arena, path, &text, NULL, &fail));
    unlink(path);
    static const char expected[] =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30\" height=\"20.5\" viewBox=\"0 0 30 20.5\" "
        "font-family=\"sans-serif\">\n"
        "<rect x=\"0\" y=\"0\" width=\"30\" height=\"20.5\" fill=\"#ffffff\" stroke=\"none\"/>\n"
        "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" fill=\"#112233\" stroke=\"none\" stroke-dasharray=\"4 3\"/>\n"
        "<line x1=\"0\" y1=\"0\" x2=\"10\" y2=\"10\" stroke=\"#000000\"/>\n"
        "<polyline points=\"1,2 3.5,4\" fill=\"none\" stroke=\"#000000\" stroke-width=\"2\"/>\n"
        "<text x=\"5\" y=\"6\" text-anchor=\"end\" font-size=\"12\">a&lt;b &amp; \"c\"&gt; d</text>\n"
        "</svg>\n";
    assert_string_equal(text, expected);

    assert_false(svg_save(&svg, "/nowhere/at/all.svg", &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_picture_is_what_was_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
