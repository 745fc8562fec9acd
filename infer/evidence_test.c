#include "infer/evidence.h"

#include "base/file.h"
#include "infer/port_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool read_text(struct arena *arena, const char *text, struct evidence *evidence, struct fail *fail) {
    char *path = file_temporary(arena, "evidence");
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    *evidence = (struct evidence){.arena = arena};
    bool is_read = evidence_read(evidence, path, 0.01, fail);
    unlink(path);
    return is_read;
}

static void reads_both_kinds(void **state) {
    (void)state;
    static const char *const texts[] = {
        "id,cycles,forms,low,high\nx1,2,\"B;A,1;2*B\",1.5,2.5\r\n\n,4,\"A,1\",,\n",
        "set\tcycles\tother\tinstructions(;-separated)\nx\t2\t\tB;A,1;2*B\nx\t4\t\tA,1\n",
    };
    struct arena arena = {0};
    for (size_t i = 0; i < 2; i++) {
        struct evidence evidence;
        struct fail fail = {0};
        assert_true(read_text(&arena, texts[i], &evidence, &fail));
        assert_int_equal(evidence.n_forms, 2);
        assert_string_equal(evidence.forms[1], "A,1");
        assert_int_equal(evidence.n_items, 2);
        assert_int_equal(evidence.items[0].n_terms, 2);
        assert_int_equal(evidence.items[0].n_insns, 4);
        assert_int_equal(evidence.items[0].terms[0].count, 3);
        assert_true(evidence.items[0].low == (i == 0 ? 1.5 : 2 * 0.99));
        assert_string_equal(evidence.items[1].id, i == 0 ? "line 4" : "line 3");
        assert_true(evidence.items[1].high == 4 * 1.01);
    }
    arena_free(&arena);
}

static void names_the_line_that_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
        unsigned line;
    } cases[] = {
        {"", "there is no experiment in it", 0},
        {"cycles,forms\n", "there is no experiment in it", 0},
        {"time,forms\n1,A\n", "there is no column 'cycles'", 1},
        {"cycles,name\n1,A\n", "there is no column 'forms'", 1},
        {"cycles,forms\n1,A\n0,A\n", "cycles '0' is not a number above 0", 3},
        {"cycles,forms\nnan,A\n", "cycles 'nan' is not a number above 0", 2},
        {"cycles,forms\n1\n", "the line has fewer columns", 2},
        {"cycles,forms\n1,A;;B\n", "'forms' holds a form without a name", 2},
        {"cycles,forms\n1,0*A\n", "'forms' holds a count that is too small", 2},
        {"cycles,low,high,forms\n1,1.1,1.2,A\n", "1 cycles are not within [1.1, 1.2]", 2},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct evidence evidence;
        struct fail fail = {0};
        assert_false(read_text(&arena, cases[i].text, &evidence, &fail));
        assert_int_equal(fail.status, FAIL_INPUT);
        assert_int_equal(fail.line, cases[i].line);
        assert_non_null(strstr(fail.text, cases[i].message));
    }
    arena_free(&arena);
}

static void writes_recipes(void **state) {
    (void)state;
    struct arena arena = {0};
    struct port_recipe recipe = {.uops = {{0x20, 1}, {0x3, 1}, {0x20, 1}, {0x10008, 4}}, .n = 4};
    port_recipe_sort(&recipe);
    assert_string_equal(port_recipe_text(&arena, &recipe), "p01 + 2*p5 + p{3,16}(4)");
    recipe.n = 0;
    assert_string_equal(port_recipe_text(&arena, &recipe), "none");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_both_kinds),
        cmocka_unit_test(names_the_line_that_is_wrong),
        cmocka_unit_test(writes_recipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
