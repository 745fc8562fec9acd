// Chunks come out in the order in which they went in, whatever the number of threads; failures end the work.
#include "base/chunks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct sums {
    unsigned n, n_read, n_taken; // chunks in all, and so far
    unsigned fails_at;           // read fails at this chunk; 0: never
    unsigned take_fails_at;      // likewise
    bool cannot_open;
    uint64_t sum;
};

struct square {
    unsigned number;
    uint64_t result;
};

static void *new_square(void *context) {
    (void)context;
    return calloc(1, sizeof(struct square));
}

static bool read_number(void *context, void *chunk, struct fail *fail) {
    struct sums *sums = context;
    if (sums->fails_at && sums->n_read + 1 == sums->fails_at)
        return fail_set(fail, FAIL_INPUT, "cannot read");
    if (sums->n_read == sums->n)
        return false;
    ((struct square *)chunk)->number = ++sums->n_read;
    return true;
}

static void *open_worker(void *context, bool is_alone, struct fail *fail) {
    const struct sums *sums = context;
    (void)is_alone;
    if (!sums->cannot_open)
        return malloc(1);
    fail_set(fail, FAIL_UNAVAILABLE, "no worker");
    return NULL;
}

static void work(void *worker, void *chunk) {
    struct square *square = chunk;
    (void)worker;
    square->result = (uint64_t)square->number * square->number;
}

static bool take(void *context, void *chunk, struct fail *fail) {
    struct sums *sums = context;
    const struct square *square = chunk;
    assert_int_equal(square->number, ++sums->n_taken);
    assert_int_equal(square->result, (uint64_t)square->number * square->number);
    sums->sum += square->result;
    return sums->n_taken != sums->take_fails_at || fail_set(fail, FAIL_WORK, "cannot take");
}

static bool run(struct sums *sums, unsigned n_jobs, struct fail *fail) {
    const struct chunks chunks = {sums, read_number, open_worker, work, free, take, new_square, free};
    return chunks_run(&chunks, n_jobs, fail);
}

static void all_in_order(void **state) {
    (void)state;
    for (unsigned n_jobs = 1; n_jobs <= 5; n_jobs++)
        for (unsigned n = 0; n < 100; n++) {
            struct sums sums = {.n = n};
            struct fail fail = {0};
            assert_true(run(&sums, n_jobs, &fail));
            assert_int_equal(sums.n_taken, n);
            assert_int_equal(sums.sum, (uint64_t)n * (n + 1) * (2 * n + 1) / 6);
        }
}

static void failures(void **state) {
    (void)state;
    for (unsigned n_jobs = 1; n_jobs <= 3; n_jobs++) {
        struct sums unreadable = {.n = 50, .fails_at = 30}, full = {.n = 50, .take_fails_at = 7},
                    first = {.n = 50, .fails_at = 1}, alone = {.n = 50, .cannot_open = true};
        struct fail fail = {0};
        assert_false(run(&unreadable, n_jobs, &fail));
        assert_string_equal(fail.text, "cannot read");
        fail_clear(&fail);
        assert_false(run(&full, n_jobs, &fail));
        assert_string_equal(fail.text, "cannot take");
        assert_int_equal(full.n_taken, 7);
        fail_clear(&fail);
        assert_false(run(&first, n_jobs, &fail));
        assert_int_equal(first.n_taken, 0);
        fail_clear(&fail);
        assert_false(run(&alone, n_jobs, &fail));
        assert_string_equal(fail.text, "no worker");
        assert_int_equal(alone.n_taken, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_in_order), cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
