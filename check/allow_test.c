// The allow-list: what it allows, what it no longer allows, and mistakes in it.
#include "check/allow.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct fail fail;
    char path[64];
    struct check_allowances allowances;
};

static int set_up(void **state) {
    struct fixture *f = test_calloc(1, sizeof *f);
    strcpy(f->path, "/tmp/cyclops-allow-XXXXXX");
    int file = mkstemp(f->path);
    assert_true(file >= 0);
    close(file);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    unlink(f->path);
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

static bool read_text(struct fixture *f, const char *text) {
    assert_true(file_write(f->path, text, strlen(text), &f->fail));
    return check_allowances_read(&f->arena, f->path, &f->allowances, &f->fail);
}

static const char list[] = "allowances: 1\n"
                           "allow:\n"
                           "  - {finding: \"gap:latency/WriteF*\", bound: 0.5, reason: known, expires: 2027-01-31}\n"
                           "  - {finding: \"gap:memory\", reason: not modelled}\n";

static const time_t in_2026 = 1790000000, in_2028 = 1840000000;

static void test_bound_and_expiry(void **state) {
    struct fixture *f = *state;
    struct check_finding finding = {.id = "gap:latency/WriteFAdd", .most = 0.4}, larger = finding, later = finding;
    larger.most = 0.6;
    assert_true(read_text(f, list));
    assert_int_equal(f->allowances.n_items, 2);
    check_allow(&f->arena, &f->allowances, &finding, in_2026);
    assert_true(finding.is_allowed);
    assert_string_equal(finding.allowance->reason, "known");
    check_allow(&f->arena, &f->allowances, &larger, in_2026);
    assert_false(larger.is_allowed);
    assert_non_null(strstr(larger.why_not, "beyond its allowance"));
    check_allow(&f->arena, &f->allowances, &later, in_2028);
    assert_false(later.is_allowed);
    assert_string_equal(later.why_not, "its allowance expired on 2027-01-31");
    assert_int_equal(f->allowances.items[0].n_findings, 3);
    assert_int_equal(f->allowances.items[1].n_findings, 0); // stale
    assert_int_equal(f->allowances.items[1].line, 4);
}

static void test_other_findings_are_not_allowed(void **state) {
    struct fixture *f = *state;
    struct check_finding finding = {.id = "model:latency/WriteFAdd"};
    assert_true(read_text(f, list));
    check_allow(&f->arena, &f->allowances, &finding, in_2026);
    assert_false(finding.is_allowed);
    assert_null(finding.allowance);
}

static void test_written_lists_allow_what_they_were_made_of(void **state) {
    struct fixture *f = *state;
    struct check_finding findings[] = {{.id = "gap:latency/A", .most = 0.33333, .summary = "latency 3, measured 4"},
                                       {.id = "gap:slots/B", .most = 2, .summary = "uops 3, measured 1"}};
    assert_true(read_text(f, check_allowances_text(&f->arena, findings, 2, "known")));
    for (int i = 0; i < 2; i++) {
        check_allow(&f->arena, &f->allowances, &findings[i], in_2028);
        assert_true(findings[i].is_allowed);
    }
}

// A list that was written when findings of slots were called "uops" holds on; of others it says nothing.
static void test_earlier_names_of_slots_hold(void **state) {
    struct fixture *f = *state;
    struct check_finding slots = {.id = "gap:slots/uops/B", .is_of_slots = true}, other = {.id = "gap:slots/uops/B"};
    assert_true(read_text(f, "allowances: 1\nallow:\n  - {finding: \"gap:uops/*\", reason: known}\n"));
    check_allow(&f->arena, &f->allowances, &slots, in_2026);
    check_allow(&f->arena, &f->allowances, &other, in_2026);
    assert_true(slots.is_allowed);
    assert_false(other.is_allowed);
}

// What a finding prints can be copied.
static void test_a_bound_is_what_findings_print(void **state) {
    struct fixture *f = *state;
    struct check_finding finding = {.id = "gap:memory", .most = 1 / 3.0}, larger = {.id = "gap:memory", .most = 0.335};
    const char *bound = check_bound_text(&f->arena, finding.most);
    assert_string_equal(bound, "33.4 %");
    assert_true(read_text(
        f, arena_printf(&f->arena, "allowances: 1\nallow:\n  - {finding: \"gap:memory\", reason: r, bound: %s}\n",
                        bound)));
    check_allow(&f->arena, &f->allowances, &finding, in_2028);
    check_allow(&f->arena, &f->allowances, &larger, in_2028);
    assert_true(finding.is_allowed);
    assert_false(larger.is_allowed);
    assert_string_equal(larger.why_not, "33.5 % is beyond its allowance, 33.4 %");
}

static void test_mistakes_have_a_place(void **state) {
    static const struct {
        const char *text, *message;
        unsigned line;
    } mistakes[] = {
        {"allowances: 2\n", "must be 1", 1},
        {"allowances: 1\nallow: [{finding: a}]\n", "reason", 2},
        {"allowances: 1\nallow:\n  - {finding: a, reason: b, until: 3}\n", "until", 3},
        {"allowances: 1\nallow:\n  - {finding: a, reason: b, expires: soon}\n", "must be a day", 3},
        {"allowances: 1\nallow:\n  - {finding: a, reason: b, bound: -1}\n", "must be a number", 3},
        {"allowances: 1\nallow:\n  - {finding: a, reason: b, bound: 50}\n", "allows 5000 %: is it 50 %?", 3},
        {"- a\n", "begins with", 1},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        fail_clear(&f->fail);
        assert_false(read_text(f, mistakes[i].text));
        assert_int_equal(f->fail.status, FAIL_INPUT);
        assert_int_equal(f->fail.line, mistakes[i].line);
        if (!strstr(f->fail.text, mistakes[i].message))
            fail_msg("'%s' does not contain '%s'", f->fail.text, mistakes[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bound_and_expiry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_earlier_names_of_slots_hold, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_bound_is_what_findings_print, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_findings_are_not_allowed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_written_lists_allow_what_they_were_made_of, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mistakes_have_a_place, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
