// What a bundle measures in case: which mixtures are wanted on which machine.
#include "survey/guesses.h"

#include "base/bytes.h"
#include "survey/forms/testing_forms.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    ALONE,
    CHECKED,
    PLAIN,
    MIXED,
    NEXT,
    N_TAKEN,
    ALONE_COPIES = 1,
    CHECKED_COPIES = 3,
    COPIES = 16,
    MIXED_COPIES = 8
};

// What was collected of the fillers and of a form, in this order.
struct fixture {
    struct collect collect;
    struct guesses guesses;
};

static void take(struct collect *collect, const char *kernel, enum program_form form, unsigned streams) {
    index_add(&collect->kernels, bytes_hash(kernel, strlen(kernel)), collect->n_taken);
    *ARENA_ADD(collect->arena, collect->taken, collect->n_taken) =
        (struct collected){.kernel = kernel, .mode = PROGRAM_THROUGHPUT, .form = form, .streams = streams};
}

static void collect_all(struct fixture *f) {
    f->collect = (struct collect){.arena = testing_arena(), .kernels.arena = testing_arena()};
    take(&f->collect, "FILL.xor", PROGRAM_LOOPED, ALONE_COPIES);
    take(&f->collect, "FILL.xor.68", PROGRAM_LOOPED, CHECKED_COPIES);
    take(&f->collect, "ADD64rr", PROGRAM_UNROLLED, COPIES);
    take(&f->collect, "ADD64rr.slots.xor.46", PROGRAM_LOOPED, MIXED_COPIES);
    take(&f->collect, "ADD64rr.slots.xor.47", PROGRAM_LOOPED, MIXED_COPIES);
    guesses_open(&f->guesses, testing_arena(), testing_isa(), &f->collect);
}

// Whether a program of that kernel is measured on a machine of that width, where the form takes so many cycles, and so
// many slots.
static bool is_measured(struct fixture *f, const char *kernel, unsigned width, double cycles, double slots) {
    const struct experiment experiment = {
        .program = {.kernel = kernel, .mode = PROGRAM_THROUGHPUT, .form = PROGRAM_LOOPED, .streams = MIXED_COPIES}};
    const struct bench_case *cases;
    const size_t n = f->collect.cases_of(f->collect.client, &experiment, &cases);
    const double measured[N_TAKEN] = {[ALONE] = (ALONE_COPIES * SLOTS_ALONE + 1.0) / width,
                                      [CHECKED] = (CHECKED_COPIES * (SLOTS_CHECKED + slots_checks[0]) + 1.0) / width,
                                      [PLAIN] = COPIES * cycles,
                                      [MIXED] = (MIXED_COPIES * (slots + 46) + 1) / width,
                                      [NEXT] = NAN};
    return bench_case_holds(f->collect.rules, cases, n, measured);
}

static void mixtures_fit_the_machine(void **state) {
    (void)state;
    struct fixture f;
    collect_all(&f);
    assert_int_equal(f.collect.n_rules, 4);
    for (unsigned width = 4; width <= 8; width++)
        assert_int_equal(is_measured(&f, "ADD64rr.slots.xor.46", width, 0.25, 1),
                         width != 7); // no such width is foreseen
    // A form that takes as long as all of its fillers needs more of them: it has a slower mixture's case.
    assert_false(is_measured(&f, "ADD64rr.slots.xor.46", 6, 60, 1));
    assert_true(is_measured(&f, "ADD64rr.slots.xor.118", 6, 12, 1));
    assert_false(is_measured(&f, "ADD64rr.slots.xor.118", 6, 0.25, 1));
    // Where the fillers are not what they seem, no mixture is measured.
    f.collect.taken[CHECKED].kernel = f.collect.taken[ALONE].kernel;
    guesses_open(&f.guesses, testing_arena(), testing_isa(), &f.collect);
    assert_int_equal(f.collect.n_rules, 0);
    assert_false(is_measured(&f, "ADD64rr.slots.xor.46", 6, 0.25, 1));
}

static void another_mixture_follows_from_more_than_one_slot(void **state) {
    (void)state;
    struct fixture f;
    collect_all(&f);
    assert_false(is_measured(&f, "ADD64rr.slots.xor.47", 6, 0.25, 1));
    assert_true(is_measured(&f, "ADD64rr.slots.xor.47", 6, 0.25, 2));
    assert_false(
        is_measured(&f, "ADD64rr.slots.xor.47", 5, 0.25, 2)); // with 46 and two slots, cycles are not whole there
}

static unsigned count(struct fixture *f, const char *form, bool is_next) {
    struct experiment_list list = {.arena = testing_arena()};
    const struct shape shape = testing_shape(form);
    guesses_add(&f->guesses, &shape, is_next, &list);
    return (unsigned)list.n;
}

static void only_forms_that_were_collected_have_mixtures(void **state) {
    (void)state;
    struct fixture f;
    collect_all(&f);
    assert_int_equal(count(&f, "ADD64rr", false), 1);
    assert_int_equal(count(&f, "ADD64rr", true), 2);
    assert_int_equal(count(&f, "IMUL64rr", false), 0);
    take(&f.collect, "DIV64r", PROGRAM_UNROLLED, COPIES);
    assert_int_equal(count(&f, "DIV64r", false), 2); // it may be slow
    take(&f.collect, "DIV32r", PROGRAM_UNROLLED, 2);
    assert_int_equal(count(&f, "DIV32r", false), 1); // two copies with so few fillers are too short a loop
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixtures_fit_the_machine),
        cmocka_unit_test(another_mixture_follows_from_more_than_one_slot),
        cmocka_unit_test(only_forms_that_were_collected_have_mixtures),
    };
    return cmocka_run_group_tests(tests, testing_forms_open, testing_forms_close);
}
