#include "cli/mca/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static enum options_result parse(struct arena *arena, const char *line, struct mca_args *args, struct fail *fail) {
    char *copy = arena_strdup(arena, line);
    char *argv[16];
    int argc = 0;
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return mca_options_parse(arena, argc, argv, args, fail);
}

static void reads_as_llvm_does(void **state) {
    (void)state;
    struct arena arena = {0};
    struct mca_args args;
    struct fail fail = {0};
    assert_int_equal(parse(&arena,
                           "mca -dispatch 3 --dispatch=0x10 -iterations=010 -lqueue=0b11 -noalias=FALSE "
                           "--timeline= -mattr -avx -mattr=+sse -o= -output-asm-variant=-1 a.s",
                           &args, &fail),
                     OPTIONS_OK);
    assert_int_equal(args.dispatch, 16); // the last one
    assert_int_equal(args.iterations, 8);
    assert_int_equal(args.load_queue, 3);
    assert_false(args.no_alias);
    assert_true(args.timeline);
    assert_string_equal(args.features, "-avx,+sse");
    assert_string_equal(args.output, "-");
    assert_int_equal(args.syntax, -1);
    assert_int_equal(args.n_inputs, 1);
    assert_string_equal(args.inputs[0], "a.s");
    // Defaults are back for the next parse.
    assert_int_equal(parse(&arena, "mca -skip-unsupported-instructions=any -noalias false", &args, &fail), OPTIONS_OK);
    assert_int_equal(args.dispatch, 0);
    assert_true(args.no_alias);
    assert_int_equal(args.skip, MCA_SKIP_ANY);
    assert_string_equal(args.inputs[0], "false"); // a flag's value stands behind '=' only
    arena_free(&arena);
}

static void refuses_in_llvms_words(void **state) {
    (void)state;
    static const struct {
        const char *line, *words;
    } table[] = {
        {"mca -dispatch=x", "for the --dispatch option: 'x' value invalid for uint argument!"},
        {"mca -dispatch=-1", "for the --dispatch option: '-1' value invalid for uint argument!"},
        {"mca -dispatch=5000000000", "'5000000000' value invalid for uint argument!"},
        {"mca -dispatch=0x", "'0x' value invalid for uint argument!"},
        {"mca -dispatch=", "'' value invalid for uint argument!"},
        {"mca -dispatch=08", "'08' value invalid for uint argument!"},
        {"mca -output-asm-variant=x", "'x' value invalid for integer argument!"},
        {"mca -timeline=yes", "for the --timeline option: 'yes' is invalid value for boolean argument! Try 0 or 1"},
        {"mca -dispatch", "for the --dispatch option: requires a value!"},
        {"mca -skip-unsupported-instructions=x", "Cannot find option named 'x'!"},
        {"mca -tmeline", "Unknown command line argument '-tmeline'.  Try: 'cyclops mca --help'"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct arena arena = {0};
        struct mca_args args;
        struct fail fail = {0};
        assert_int_equal(parse(&arena, table[i].line, &args, &fail), OPTIONS_BAD);
        assert_int_equal(fail.status, FAIL_INPUT);
        if (!strstr(fail.text, table[i].words))
            fail_msg("'%s' is not in: %s", table[i].words, fail.text);
        arena_free(&arena);
    }
}

static void views_follow_their_order(void **state) {
    (void)state;
    static const struct {
        const char *line;
        bool in_order, summary, timeline, bottlenecks, retire, dispatch;
    } table[] = {
        {"mca", false, true, false, false, false, false},
        {"mca -all-views", false, true, true, true, true, true},
        {"mca -all-views", true, true, true, false, false, true},
        {"mca -all-stats", false, true, false, false, true, true},
        {"mca -all-views -summary-view=0", false, false, true, true, true, true},
        {"mca -summary-view=0 -all-views", false, true, true, true, true, true},
        {"mca -all-views=false -timeline", false, false, true, false, false, false},
        {"mca -all-views -all-stats=0", false, true, true, true, false, false},
        {"mca -all-stats=0 -all-views -retire-stats=0", false, true, true, true, false, true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct arena arena = {0};
        struct mca_args args;
        struct fail fail = {0};
        assert_int_equal(parse(&arena, table[i].line, &args, &fail), OPTIONS_OK);
        mca_options_settle_views(&args, table[i].in_order);
        assert_int_equal(args.summary, table[i].summary);
        assert_int_equal(args.timeline, table[i].timeline);
        assert_int_equal(args.bottlenecks, table[i].bottlenecks);
        assert_int_equal(args.retire_stats, table[i].retire);
        assert_int_equal(args.dispatch_stats, table[i].dispatch);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_llvm_does),
        cmocka_unit_test(refuses_in_llvms_words),
        cmocka_unit_test(views_follow_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
