// What comes back from the child that measures: each sample in its place, and nothing where code wrote over them.
#include "bench/sandbox/nursery.h"
#include "bench/target.h"
#include "bench/targets/native_rounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N_ROUNDS = 8 };

#if defined(__x86_64__)
// back: dec rdi; jnz back; ret
static const uint8_t count_down[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
// Touches another page of its stack in each call (deeper by two, as its frame may be a little higher or lower) and then
// counts down. inc dword [rsi]; mov eax, [rsi]; add eax, 3; shl rax, 13; mov rcx, rsp; sub rcx, rax; mov [rcx], eax
static const uint8_t new_pages[] = {0xff, 0x06, 0x8b, 0x06, 0x83, 0xc0, 0x03, 0x48, 0xc1, 0xe0, 0x0d, 0x48, 0x89,
                                    0xe1, 0x48, 0x29, 0xc1, 0x89, 0x01, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
static const bool has_code = true;
#else
static const uint8_t count_down[] = {0}, new_pages[] = {0};
static const bool has_code = false;
#endif

static const struct bench_code countdown = {.bytes = count_down, .n_bytes = sizeof count_down, .bodies = 1};

// Runs the code, with half as many iterations of it as of the reference.
static enum bench_outcome run_with(const struct bench_code *code, const struct bench_code *reference, unsigned n_rounds,
                                   struct target_round rounds[N_ROUNDS], unsigned *n_done) {
    if (!has_code)
        skip();
    struct arena arena = {0};
    struct fail fail = {0};
    struct target *target = target_native_open(&arena, -1, &(struct target_request){.clock = CLOCK_RATIO}, &fail);
    assert_non_null(target);
    struct target_job job = {
        .rounds = rounds,
        .code = code,
        .code_short = 1000,
        .code_long = 100000,
        .reference = reference,
        .reference_short = 2000,
        .reference_long = 200000,
        .n_rounds = n_rounds,
        .timeout_seconds = 10,
    };
    enum bench_outcome outcome;
    assert_true(target->ops->run(target, &job, 1, &outcome, &fail));
    *n_done = job.n_done;
    arena_free(&arena);
    return outcome;
}

static enum bench_outcome run(const struct bench_code *code, struct target_round rounds[N_ROUNDS], unsigned *n_done) {
    return run_with(code, &countdown, N_ROUNDS, rounds, n_done);
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

// An interrupt makes one sample longer, but not the shortest of eight.
static void longer_runs_take_longer(void **state) {
    (void)state;
    struct target_round rounds[N_ROUNDS];
    unsigned n_done;
    assert_int_equal(run(&countdown, rounds, &n_done), BENCH_OK);
    assert_int_equal(n_done, N_ROUNDS);
    uint64_t code[2] = {UINT64_MAX, UINT64_MAX}, reference[2] = {UINT64_MAX, UINT64_MAX};
    for (unsigned i = 0; i < N_ROUNDS; i++) {
        code[0] = least(code[0], rounds[i].code_short.ticks);
        code[1] = least(code[1], rounds[i].code_long.ticks);
        for (unsigned j = 0; j < 2; j++)
            reference[j] = least(reference[j], rounds[i].reference_before[j].ticks);
    }
    assert_true(code[0] > 0 && code[1] > 10 * code[0]);
    assert_true(reference[1] > 10 * reference[0] && reference[0] > code[0] && reference[1] > code[1]);
}

static void a_reference_belongs_to_two_rounds(void **state) {
    (void)state;
    struct target_round rounds[N_ROUNDS];
    unsigned n_done;
    assert_int_equal(run(&countdown, rounds, &n_done), BENCH_OK);
    for (unsigned i = 0; i + 1 < N_ROUNDS; i++)
        assert_memory_equal(rounds[i].reference_after, rounds[i + 1].reference_before,
                            sizeof rounds[i].reference_after);
}

// What disturbs a reference disturbs both rounds that it belongs to: its faults are told of both, of the first
// reference as well.
static void a_reference_disturbs_both_its_rounds(void **state) {
    (void)state;
    enum { FEW_ROUNDS = 2, CALLS_OF_A_PAIR = 3 };
    static const struct bench_code touching = {.bytes = new_pages, .n_bytes = sizeof new_pages, .bodies = 1};
    struct target_round rounds[N_ROUNDS];
    unsigned n_done;
    assert_int_equal(run_with(&countdown, &touching, FEW_ROUNDS, rounds, &n_done), BENCH_OK);
    assert_int_equal(n_done, FEW_ROUNDS);
    for (unsigned i = 0; i < FEW_ROUNDS; i++)
        assert_true(rounds[i].faults >= 2 * CALLS_OF_A_PAIR);
}

// Code that writes to the results, `offset` bytes into them, and then ends well or by ud2. It does not know where they
// are; this test does: they are the first that is allocated.
static enum bench_outcome write_at(size_t offset, bool ends_well, unsigned *n_done) {
    uint64_t address = (uintptr_t)nursery_alloc(0) + offset;
    // mov rax, address; add dword ptr [rax], 1000; ret or ud2
    uint8_t bytes[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x81, 0x00, 0xe8, 3, 0, 0, 0xc3, 0x0b};
    memcpy(&bytes[2], &address, sizeof address);
    if (!ends_well)
        bytes[16] = 0x0f;
    struct bench_code code = {.bytes = bytes, .n_bytes = sizeof bytes, .bodies = 1};
    struct target_round rounds[N_ROUNDS];
    return run(&code, rounds, n_done);
}

static void overwritten_results_are_none(void **state) {
    (void)state;
    unsigned n_done = 1;
    assert_int_equal(write_at(0, true, &n_done), BENCH_OVERWROTE);
    assert_int_equal(n_done, 0);
    n_done = 1;
    size_t behind = sizeof(struct native_results) + N_ROUNDS * sizeof(struct target_round);
    assert_int_equal(write_at(behind, true, &n_done), BENCH_OVERWROTE);
    assert_int_equal(n_done, 0);
    n_done = 1; // more rounds than there are: nothing is read behind them
    assert_int_equal(write_at(offsetof(struct native_results, jobs[0].n_done), false, &n_done), BENCH_SIGILL);
    assert_int_equal(n_done, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longer_runs_take_longer),
        cmocka_unit_test(a_reference_belongs_to_two_rounds),
        cmocka_unit_test(a_reference_disturbs_both_its_rounds),
        cmocka_unit_test(overwritten_results_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
