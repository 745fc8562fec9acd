// How a survey's end reads.
#include "report/survey.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void reads(const struct survey_summary *summary, const char *wanted) {
    struct arena arena = {0};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    survey_report_print(&arena, summary, "adds", out);
    fclose(out);
    assert_string_equal(text, wanted);
    free(text);
    arena_free(&arena);
}

static void it_says_what_is_next(void **state) {
    struct survey_summary summary = {.n_forms = 9, .n_measured = 8, .n_values = 40, .n_at_most = 12, .seconds = 61.7};
    (void)state;
    reads(&summary, "Done after 62 s: 9 forms, 8 measured: 40 values (0 unstable, 12 upper bounds)\n"
                    "The table: cyclops table adds\n");
    summary.n_unstable = 3;
    reads(&summary, "Done after 62 s: 9 forms, 8 measured: 40 values (3 unstable, 12 upper bounds)\n"
                    "The table: cyclops table adds\n"
                    "The same command with --resume measures again what is unstable\n");
    summary.is_interrupted = true;
    summary.n_waiting = 30;
    reads(&summary, "Interrupted after 62 s: 9 forms, 8 measured: 40 values (3 unstable, 30 seen at one time only, 12\n"
                    "    upper bounds)\n"
                    "The table: cyclops table adds\n"
                    "The same command with --resume does the rest\n");
}

static void what_is_not_known_yet_counts(void **state) {
    struct survey_summary summary = {.n_forms = 9, .n_measured = 8, .n_values = 40, .n_lost = 2, .n_at_most = 12};
    (void)state;
    reads(&summary,
          "Done after 0 s: 9 forms, 8 measured: 40 values (0 unstable, 2 more not known yet, 12 upper bounds)\n"
          "The table: cyclops table adds\n"
          "The same command with --resume measures again what is unstable\n");
    summary = (struct survey_summary){.n_forms = 3, .n_lost = 7, .seconds = 168};
    reads(&summary,
          "Done after 168 s: 3 forms, 0 measured: 0 values (0 unstable, 7 more not known yet, 0 upper bounds)\n"
          "Nothing could be measured: other threads were busy on the core all the time\n"
          "The same command with --resume tries again\n");
}

static void nothing_has_no_table(void **state) {
    const struct survey_summary summary = {.n_forms = 9, .is_interrupted = true, .seconds = 2};
    (void)state;
    reads(&summary, "Interrupted after 2 s: 9 forms, 0 measured: 0 values (0 unstable, 0 upper bounds)\n"
                    "The same command with --resume does the rest\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_says_what_is_next),
                                       cmocka_unit_test(what_is_not_known_yet_counts),
                                       cmocka_unit_test(nothing_has_no_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
