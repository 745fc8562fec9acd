#include "analyzer/predict/branch_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// 0 ENTRY: nop   1 bb1: add   2 jne bb1   3 bb2: call f   4 jmp *%rax   5 ret   6 f: nop   7 ret
static const struct insn program[] = {
    {.text = "nop", .line = 1},
    {.text = "add", .line = 2},
    {.text = "jne\tbb1", .line = 3, .is_branch = true, .is_conditional = true, .target = "bb1"},
    {.text = "call\tf", .line = 4, .is_call = true, .target = "f"},
    {.text = "jmp\t*%rax", .line = 5, .is_branch = true},
    {.text = "ret", .line = 6, .is_return = true},
    {.text = "nop", .line = 7},
    {.text = "ret", .line = 8, .is_return = true},
};
static const struct block_label labels[] = {{"bb1", 1}, {"bb2", 3}, {"out", 5}, {"f", 6}, {"end", 8}};
enum { N_INSNS = sizeof program / sizeof *program, N_LABELS = sizeof labels / sizeof *labels };

// The lines that run, as digits ('!' behind a branch that was predicted wrongly), or the failure.
static const char *run_of(struct arena *arena, const char *text) {
    const struct block block = {
        .name = "", .insns = program, .n_insns = N_INSNS, .labels = labels, .n_labels = N_LABELS};
    struct branch_trace trace;
    struct execution run;
    struct fail fail = {0};
    if (!branch_trace_parse(arena, "t", text, &trace, &fail) ||
        !branch_trace_follow(arena, &trace, &block, &run, &fail))
        return arena_printf(arena, "%u:%u: %s", fail.line, fail.column, fail.text);
    char *lines = ARENA_ARRAY(arena, char, 2 * run.n_steps + 1), *at = lines;
    for (unsigned i = 0; i < run.n_steps; i++) {
        *at++ = (char)('0' + execution_insn(&run, i)->line);
        if (run.steps[i].is_mispredicted)
            *at++ = '!';
    }
    return lines;
}

struct row {
    const char *trace, *run;
};

static void check_rows(const struct row *rows, size_t n_rows) {
    struct arena arena = {0};
    for (size_t i = 0; i < n_rows; i++)
        assert_string_equal(run_of(&arena, rows[i].trace), rows[i].run);
    arena_free(&arena);
}

static void the_trace_tells_the_way(void **state) {
    (void)state;
    static const struct row rows[] = {
        // The mail's own example: the loop runs three times. What follows ends at the branch nobody knows of.
        {"(ENTRY, bb1, bb1, bb1, FALLTHROUGH)", "12323234785"},
        {"ENTRY bb1 * 3 FALLTHROUGH", "12323234785"},
        {"ENTRY, bb1 # comment\n bb1,bb1 *2, bb2", "1232323234785"},
        // The entry's own way into bb1 needs no word, where the trace has none.
        {"ENTRY FALLTHROUGH", "1234785"},
        {"bb2", "4785"},
        {"bb2, f, out", "47856"},
        {"bb2, f, bb1", "478523"},
        {"bb2, f, end", "4785"},
        {"ENTRY bb1 bb1! bb1 FALLTHROUGH! f out!", "123!2323!4785!6"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void what_cannot_be_is_told(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"", "0:0: there is no word of a branch trace in it"},
        {"ENTRY, bb1, =", "1:13: '=' begins no label; a branch trace looks like (ENTRY, loop, loop, FALLTHROUGH)"},
        {"bb1 * x", "1:7: behind '*' stands how often the word is repeated, a number from 1 on"},
        {"bb1 * 0", "1:7: behind '*' stands how often the word is repeated, a number from 1 on"},
        {"bb1 * 99999999999999999999", "1:7: behind '*' stands how often the word is repeated, a number from 1 on"},
        {"ENTRY\n bb3", "2:2: there is no label 'bb3' in the text (did you mean 'bb1' or 'bb2'?)"},
        {"bb1 out", "1:5: control comes to 'jne bb1' of line 3 here, which cannot go to out"},
        {"bb2 f FALLTHROUGH", "1:7: control comes to 'jmp *%rax' of line 5 here, which cannot go to FALLTHROUGH"},
        {"bb2 f out bb1", "1:11: the run has ended before this word"},
        {"bb1!", "1:1: no branch leads here that could have been predicted wrongly; take the '!' away"},
        {"bb1 * 1000000000", "0:0: the trace runs more than 1000000 instructions; cut it where it repeats"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static struct execution execution_of(struct arena *in, const struct block *block, const unsigned *order, unsigned n) {
    struct execution_step *steps = ARENA_ARRAY(in, struct execution_step, n);
    for (unsigned i = 0; i < n; i++)
        steps[i].insn = order[i];
    return (struct execution){.block = block, .steps = steps, .n_steps = n};
}

// What was followed and is written down again leads the same way.
static void recorded_runs_come_back(void **state) {
    (void)state;
    struct arena arena = {0};
    static const unsigned orders[][12] = {
        {0, 1, 2, 1, 2, 1, 2, 3, 6, 7, 4, 5}, {1, 2, 3, 6, 7, 4, 6, 7}, {3, 6, 7, 4, 1, 2, 3}};
    static const unsigned lengths[] = {12, 8, 7};
    static const char *const traces[] = {"(ENTRY, bb1 * 3, FALLTHROUGH, bb2, f, out)", "(bb1, FALLTHROUGH, bb2, f * 2)",
                                         "(bb2, f, bb1, FALLTHROUGH, bb2)"};
    const struct block block = {
        .name = "", .insns = program, .n_insns = N_INSNS, .labels = labels, .n_labels = N_LABELS};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct fail fail = {0};
        struct branch_trace trace;
        struct execution run;
        const char *text;
        const struct execution recorded = execution_of(&arena, &block, orders[i], lengths[i]);
        assert_true(branch_trace_of(&arena, &recorded, &text, &fail));
        assert_string_equal(text, traces[i]);
        assert_true(branch_trace_parse(&arena, "t", text, &trace, &fail));
        assert_true(branch_trace_follow(&arena, &trace, &block, &run, &fail));
        assert_in_range(run.n_steps, lengths[i], N_INSNS * 10); // it may go on as far as no word is needed
        for (unsigned k = 0; k < lengths[i]; k++)
            assert_int_equal(execution_insn(&run, k)->line, orders[i][k] + 1);
    }
    struct fail fail = {0};
    const char *text;
    const struct execution nowhere = execution_of(&arena, &block, (const unsigned[]){3, 4, 2}, 3);
    assert_false(branch_trace_of(&arena, &nowhere, &text, &fail));
    assert_string_equal(fail.text, "control comes to line 3, 'jne bb1', which has no label; give it one");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_tells_the_way),
        cmocka_unit_test(what_cannot_be_is_told),
        cmocka_unit_test(recorded_runs_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
