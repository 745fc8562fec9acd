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
    survey_report_print(&arena, summary, "adds", "cyclops survey --resume --output adds", out);
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
                    "To measure again what is unstable: cyclops survey --resume --output adds\n");
    summary.is_interrupted = true;
    summary.n_waiting = 30;
    reads(&summary, "Interrupted after 62 s: 9 forms, 8 measured: 40 values (3 unstable, 30 seen at one time only, 12\n"
                    "    upper bounds)\n"
                    "The table: cyclops table adds\n"
                    "To do the rest: cyclops survey --resume --output adds\n");
}

static void missing_dispatch_slots_count(void **state) {
    const struct survey_summary summary = {.n_forms = 9,
                                           .n_measured = 8,
                                           .n_values = 40,
                                           .n_at_most = 12,
                                           .n_slots_missing = 7,
                                           .is_spent = true,
                                           .seconds = 5};
    (void)state;
    reads(&summary, "The budget is spent after 5 s: 9 forms, 8 measured: 40 values (0 unstable, 12 upper bounds);\n"
                    "    dispatch slots of 7 forms not measured yet\n"
                    "The table: cyclops table adds\n"
                    "To do the rest: cyclops survey --resume --output adds\n");
}

static void a_missing_filler_is_named(void **state) {
    const struct survey_summary summary = {.n_forms = 9,
                                           .n_measured = 9,
                                           .n_values = 40,
                                           .n_at_most = 12,
                                           .no_filler = "4 simple instructions seem to take 59.91 slots among 'nopw'",
                                           .seconds = 5};
    (void)state;
    reads(&summary,
          "Done after 5 s: 9 forms, 9 measured: 40 values (0 unstable, 12 upper bounds)\n"
          "Dispatch slots and throughputs among fillers are not known: 4 simple instructions seem to take 59.91\n"
          "    slots among 'nopw'\n"
          "The table: cyclops table adds\n");
}

static void what_is_not_known_yet_counts(void **state) {
    struct survey_summary summary = {.n_forms = 9, .n_measured = 8, .n_values = 40, .n_lost = 2, .n_at_most = 12};
    (void)state;
    reads(&summary,
          "Done after 0 s: 9 forms, 8 measured: 40 values (0 unstable, 2 more not known yet, 12 upper bounds)\n"
          "The table: cyclops table adds\n"
          "To measure again what is unstable: cyclops survey --resume --output adds\n");
    summary = (struct survey_summary){.n_forms = 3, .n_lost = 7, .seconds = 168};
    reads(&summary,
          "Done after 168 s: 3 forms, 0 measured: 0 values (0 unstable, 7 more not known yet, 0 upper bounds)\n"
          "Nothing could be measured: other threads were busy on the core all the time\n"
          "To try again: cyclops survey --resume --output adds\n");
}

static void a_spent_budget_leaves_a_rest(void **state) {
    const struct survey_summary summary = {
        .n_forms = 9, .n_measured = 5, .n_open = 3, .n_values = 20, .n_waiting = 20, .is_spent = true, .seconds = 5};
    (void)state;
    reads(&summary,
          "The budget is spent after 5 s: 9 forms, 5 measured, 3 not yet: 20 values (0 unstable, 20 seen at one\n"
          "    time only, 0 upper bounds)\n"
          "The table: cyclops table adds\n"
          "To do the rest: cyclops survey --resume --output adds\n");
}

static void nothing_has_no_table(void **state) {
    const struct survey_summary summary = {.n_forms = 9, .is_interrupted = true, .seconds = 2};
    (void)state;
    reads(&summary, "Interrupted after 2 s: 9 forms, 0 measured: 0 values (0 unstable, 0 upper bounds)\n"
                    "To do the rest: cyclops survey --resume --output adds\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_is_next),         cmocka_unit_test(missing_dispatch_slots_count),
        cmocka_unit_test(a_missing_filler_is_named),    cmocka_unit_test(what_is_not_known_yet_counts),
        cmocka_unit_test(a_spent_budget_leaves_a_rest), cmocka_unit_test(nothing_has_no_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
