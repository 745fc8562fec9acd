// The models that a command compares, by role.
#include "analyzer/model/model_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static const char x86[] = "x86_64-unknown-linux-gnu";

static struct option_list list(const char *first, const char *second) {
    struct option_list made = {0};
    const char *const both[] = {first, second};
    for (size_t i = 0; i < 2; i++)
        if (both[i])
            *ARENA_ADD(&arena, made.items, made.n_items) = both[i];
    return made;
}

static void open_good(struct model_set *set, const struct model_request *request) {
    struct fail fail = {0};
    bool is_open = model_set_open(set, &arena, request, &fail);
    assert_string_equal(fail.text, "");
    assert_true(is_open);
}

static void a_role_does_not_depend_on_the_order(void **state) {
    (void)state;
    struct model_set set;
    const struct model_request request = {
        .triple = x86, .judged = list("znver4", "skylake"), .against = "znver3", .native = "znver2"};
    open_good(&set, &request);
    assert_int_equal(set.n_judged, 2);
    assert_string_equal(set.judged[0].machine->cpu, "znver4");
    assert_string_equal(set.judged[1].machine->cpu, "skylake");
    assert_string_equal(set.against.machine->cpu, "znver3");
    assert_string_equal(set.native.machine->cpu, "znver2");
    model_set_close(&set);
    assert_int_equal(set.n_judged, 0);
    assert_null(set.against.machine);
    model_set_close(&set);
}

static void without_a_name_the_native_cpu_is_judged(void **state) {
    (void)state;
    struct model_set set;
    const struct model_request request = {.triple = x86, .native = "znver2"};
    open_good(&set, &request);
    assert_int_equal(set.n_judged, 1);
    assert_string_equal(set.judged[0].machine->cpu, "znver2");
    assert_ptr_not_equal(set.judged[0].machine, set.native.machine);
    assert_null(set.against.machine);
    model_set_close(&set);
}

static void none_is_no_model(void **state) {
    (void)state;
    struct model_set set;
    const struct model_request request = {.triple = x86, .judged = list("none", NULL), .native = "znver2"};
    assert_false(model_request_judges(&request));
    open_good(&set, &request);
    assert_int_equal(set.n_judged, 0);
    assert_string_equal(set.native.machine->cpu, "znver2");
    model_set_close(&set);
}

// A CPU in each version of LLVM that was asked for, but one whose name states its version.
static void versions_multiply_the_judged(void **state) {
    (void)state;
    struct model_set set;
    struct fail fail = {0};
    const struct backend *newest = backend_load(&arena, NULL, &fail);
    const char *version = arena_printf(&arena, "%u", newest->major);
    const char *named = arena_printf(&arena, "llvm-%s/skylake", version);
    const struct model_request request = {
        .triple = x86, .llvms = list(version, version), .judged = list("znver4", named), .against = "znver3"};
    open_good(&set, &request);
    assert_int_equal(set.n_judged, 3);
    assert_string_equal(set.judged[1].machine->cpu, "znver4");
    assert_string_equal(set.judged[2].machine->cpu, "skylake");
    assert_string_equal(set.against.machine->cpu, "znver3");
    model_set_close(&set);
}

static void a_refused_model_leaves_nothing_open(void **state) {
    (void)state;
    struct model_set set;
    struct fail fail = {0};
    const struct model_request wrong = {.triple = x86, .judged = list("znver4", NULL), .against = "no-such-cpu"};
    assert_false(model_set_open(&set, &arena, &wrong, &fail));
    assert_non_null(strstr(fail.text, "no-such-cpu"));
    assert_int_equal(set.n_judged, 0);
    struct model_request many = {.triple = x86};
    for (unsigned i = 0; i <= MODEL_SET_MOST; i++)
        *ARENA_ADD(&arena, many.judged.items, many.judged.n_items) = "znver4";
    fail_clear(&fail);
    assert_false(model_set_open(&set, &arena, &many, &fail));
    assert_string_equal(fail.text, "at most 4 models at once");
    assert_int_equal(set.n_judged, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_role_does_not_depend_on_the_order),
        cmocka_unit_test(without_a_name_the_native_cpu_is_judged),
        cmocka_unit_test(none_is_no_model),
        cmocka_unit_test(versions_multiply_the_judged),
        cmocka_unit_test(a_refused_model_leaves_nothing_open),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
