// Regions of a text come out by name and place, for every way of a comment; each wrong marker has its line and column,
// and says what to do.
#include "blocks/marked_text.h"

#include "gen/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct good {
    const char *isa, *text;
    const char *regions[3]; // "name:line:text"
} good[] = {
    {"x86_64", "nop\nret\n", {":0:nop\nret\n"}},
    {"x86_64", "a\n# LLVM-MCA-BEGIN\nb\n# LLVM-MCA-END\nc\n", {":2:# LLVM-MCA-BEGIN\nb\n"}},
    {"x86_64", "#LLVM-MCA-BEGIN  one \nb # LLVM-MCA-END one\n", {"one:1:#LLVM-MCA-BEGIN  one \nb "}},
    {"x86_64", "/* LLVM-MCA-BEGIN one */ b; /* LLVM-MCA-END */ c\n", {"one:1:/* LLVM-MCA-BEGIN one */ b; "}},
    {"aarch64", "// LLVM-MCA-BEGIN x\nb\n// LLVM-MCA-END\n", {"x:1:// LLVM-MCA-BEGIN x\nb\n"}},
    // a string, and a word of prose
    {"x86_64",
     ".ascii \"# LLVM-MCA-BEGIN\"\n# see LLVM-MCA-END\n",
     {":0:.ascii \"# LLVM-MCA-BEGIN\"\n# see LLVM-MCA-END\n"}},
    // one behind the other, one in the other
    {"x86_64",
     "# LLVM-MCA-BEGIN\na\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN\nb\n# LLVM-MCA-END\n",
     {":1:# LLVM-MCA-BEGIN\na\n", ":4:# LLVM-MCA-BEGIN\nb\n"}},
    {"x86_64",
     "# LLVM-MCA-BEGIN o\n# LLVM-MCA-BEGIN i\na\n# LLVM-MCA-END i\n# LLVM-MCA-END o\n",
     {"o:1:# LLVM-MCA-BEGIN o\n# LLVM-MCA-BEGIN i\na\n# LLVM-MCA-END i\n", "i:2:# LLVM-MCA-BEGIN i\na\n"}},
    // what is in front of an end is the first region, as llvm-mca reads it
    {"x86_64", "a\n# LLVM-MCA-END\nb\n", {":0:a\n"}},
    {"x86_64", "# LLVM-EXEGESIS-LIVEIN RDI\nnop\n", {":0:# LLVM-EXEGESIS-LIVEIN RDI\nnop\n"}},
    {"riscv64", "# LLVM-MCA-RISCV-LMUL M2\nnop\n", {":0:# LLVM-MCA-RISCV-LMUL M2\nnop\n"}},
};

static void regions_have_names_and_places(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct arena arena = {0};
        struct fail failure = {0};
        struct marked_text marked;
        if (!marked_text_read(&arena, isa_find(good[i].isa), "b.s", good[i].text, &marked, &failure))
            fail_msg("%zu: %s", i, failure.text);
        for (size_t r = 0; r < marked.n_regions; r++) {
            const struct text_region *region = &marked.regions[r];
            const char *got = arena_printf(&arena, "%s:%u:%.*s", region->name, region->line,
                                           (int)(region->end - region->begin), good[i].text + region->begin);
            assert_true(r < 3 && good[i].regions[r]);
            assert_string_equal(got, good[i].regions[r]);
        }
        assert_true(marked.n_regions == 3 || !good[i].regions[marked.n_regions]);
        arena_free(&arena);
    }
}

static const struct wrong {
    const char *text;
    unsigned line, column;
    const char *message;
} wrong[] = {
    {"nop\n  # LLVM-MCA-BEGIN\nnop\n", 2, 3, "this region has no end: put LLVM-MCA-END behind its code"},
    {"# LLVM-MCA-BEGIN one\nnop\n", 1, 1, "this region has no end: put LLVM-MCA-END one behind its code"},
    {"# LLVM-MCA-BEGIN\nnop\n# LLVM-MCA-END\n# LLVM-MCA-END\n", 4, 1,
     "found an invalid region end directive: unable to find an active anonymous region"},
    {"# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-END b\n", 3, 1,
     "found an invalid region end directive: unable to find an active region named b"},
    {"# LLVM-MCA-BEGIN\nnop\n# LLVM-MCA-BEGIN\n", 3, 1,
     "found multiple overlapping anonymous regions: the other one begins in line 1"},
    {"# LLVM-MCA-BEGIN a\n# LLVM-MCA-BEGIN a\n", 2, 1, "overlapping regions cannot have the same name: the other one"},
    {"nop # LLVM-MCA-BEGIM\n", 1, 5, "unknown marker LLVM-MCA-BEGIM (did you mean 'BEGIN'?)"},
    {"nop\n# LLVM-MCA-LATENCY 3\n", 2, 1, "LLVM-MCA-LATENCY changes predictions"},
    {"# LLVM-EXEGESIS-DEFREGS RCX 7\nnop\n", 1, 1, "unknown annotation LLVM-EXEGESIS-DEFREGS (did you mean 'DEFREG'?)"},
    {"nop\n# LLVM-EXEGESIS-LIVEIN FOO\n", 2, 1, "'FOO' is no register of x86_64"},
    {"nop\n# LLVM-EXEGESIS-MEM-DEF\nnop\n", 2, 1,
     "LLVM-EXEGESIS-MEM-DEF needs 3 words, as in LLVM-EXEGESIS-MEM-DEF data 4096 7fffffff"},
    {"# LLVM-EXEGESIS-MEM-DEF data 4096 zz\nnop\n", 1, 1, "'zz' is not a number that fits here"},
    {"# LLVM-EXEGESIS-MEM-DEF data 4k 7f\nnop\n", 1, 1, "'4k' is not a number that fits here"},
    {"# LLVM-EXEGESIS-LIVEIN\nnop\n", 1, 1, "LLVM-EXEGESIS-LIVEIN needs 1 word, as in LLVM-EXEGESIS-LIVEIN RCX"},
    {"# LLVM-EXEGESIS-FOO\nnop\n", 1, 1,
     "unknown annotation LLVM-EXEGESIS-FOO; there are DEFREG, LIVEIN, MEM-DEF, MEM-MAP"},
    {"# LLVM-MCA-END\nnop\n", 1, 1, "there is no code in front of this end"},
};

static void wrong_markers_have_their_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct arena arena = {0};
        struct fail failure = {0};
        struct marked_text marked;
        bool is_read = marked_text_read(&arena, isa_find("x86_64"), "b.s", wrong[i].text, &marked, &failure);
        if (is_read || failure.status != FAIL_INPUT || failure.line != wrong[i].line ||
            failure.column != wrong[i].column || strncmp(failure.text, wrong[i].message, strlen(wrong[i].message)) != 0)
            fail_msg("%zu: got %u:%u: %s", i, failure.line, failure.column, failure.text);
        arena_free(&arena);
    }
}

static void regions_are_found_by_name(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail failure = {0};
    struct marked_text marked;
    const char *text = "# LLVM-MCA-BEGIN inner\na\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN outer\nb\n# LLVM-MCA-END\n";
    assert_true(marked_text_read(&arena, isa_find("x86_64"), "b.s", text, &marked, &failure));
    assert_ptr_equal(marked_text_find(&arena, &marked, "b.s", "outer", &failure), &marked.regions[1]);
    assert_null(marked_text_find(&arena, &marked, "b.s", "iner", &failure));
    assert_string_equal(failure.text, "there is no region 'iner' (did you mean 'inner'?); there are inner, outer");
    marked.regions[1].name = "inner";
    failure = (struct fail){0};
    assert_null(marked_text_find(&arena, &marked, "b.s", "inner", &failure));
    assert_int_equal(failure.line, 4);
    assert_string_equal(failure.text, "a second region 'inner' begins here, after that of line 1: rename one");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_have_names_and_places),
        cmocka_unit_test(wrong_markers_have_their_place),
        cmocka_unit_test(regions_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
