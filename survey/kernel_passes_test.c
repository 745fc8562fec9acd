// What is known of kernels after passes over some of them.
#include "survey/kernel_passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { A, B, N_KERNELS };
static const char *const names[N_KERNELS] = {"AAA", "BBB"};

struct fixture {
    struct arena arena;
    struct kernel kernels[N_KERNELS];
    struct kernel_state states[N_KERNELS];
    struct kernel_passes passes;
    struct campaign_pass pass;
};

static void open_fixture(struct fixture *f) {
    *f = (struct fixture){.states = {{.key.kind = EXPERIMENT_PLAIN}, {.key.kind = EXPERIMENT_SLOTS}}};
    for (size_t i = 0; i < N_KERNELS; i++)
        f->kernels[i].name = names[i];
    f->passes = (struct kernel_passes){
        .set = {.kernels = f->kernels, .n_kernels = N_KERNELS}, .states = f->states, .n = N_KERNELS};
}

// The pass's next value, of a kernel that it measures.
static struct bench_measurement *add_value(struct fixture *f, size_t kernel, enum bench_verdict verdict) {
    struct experiment *experiment = plan_add(&f->arena, &f->pass.plan);
    experiment->program.kernel = names[kernel];
    experiment->is_done = true;
    experiment->measurement.verdict = verdict;
    f->states[kernel].is_next = true;
    return &experiment->measurement;
}

// Hands the values back, and begins another pass.
static void take(struct fixture *f) {
    kernel_passes_client.take(&f->passes, &f->pass);
    f->pass = (struct campaign_pass){.is_open = true};
    for (size_t i = 0; i < N_KERNELS; i++)
        f->states[i].is_next = false;
}

static void only_a_pass_over_a_kernel_changes_its_count(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f);
    add_value(&f, A, MEASURED_UNSTABLE);
    add_value(&f, A, MEASURED_EXACT);
    add_value(&f, A, MEASURED_UNSTABLE);
    add_value(&f, B, MEASURED_UNSTABLE);
    take(&f);
    assert_int_equal(kernel_passes_count_unstable(&f.passes), 3);
    add_value(&f, B, MEASURED_EXACT);
    take(&f);
    assert_int_equal(kernel_passes_count_unstable(&f.passes), 2);
    assert_int_equal(f.states[A].n_unstable, 2);
    // A kernel whose experiments were refused has no values any more.
    f.states[A].is_next = true;
    take(&f);
    assert_int_equal(kernel_passes_count_unstable(&f.passes), 0);
    arena_free(&f.arena);
}

static void without_a_steady_clock_all_of_it_is_left(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f);
    add_value(&f, A, MEASURED_EXACT);
    add_value(&f, A, MEASURED_EXACT);
    f.pass.is_skipped = true;
    take(&f);
    assert_int_equal(f.states[A].n_unstable, 2);
    assert_int_equal(f.states[B].n_unstable, 0);
    arena_free(&f.arena);
}

// Code that has another value in each process may have one as a loop. Of dispatch slots, such a value is enough.
static void uneven_code_is_measured_as_a_loop(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f);
    add_value(&f, A, MEASURED_UNSTABLE)->look = LOOK_SPREAD;
    add_value(&f, B, MEASURED_UNSTABLE)->look = LOOK_SPREAD;
    take(&f);
    assert_int_equal(f.states[A].n_unstable, 1);
    assert_int_equal(f.states[B].n_unstable, 0);
    assert_true(f.states[A].wants_loop && f.states[B].wants_loop);
    // It stays so, also where the next value is even.
    add_value(&f, A, MEASURED_EXACT);
    take(&f);
    assert_true(f.states[A].wants_loop);
    arena_free(&f.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_pass_over_a_kernel_changes_its_count),
        cmocka_unit_test(without_a_steady_clock_all_of_it_is_left),
        cmocka_unit_test(uneven_code_is_measured_as_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
