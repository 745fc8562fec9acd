// What a pair of executions is. How long executions are to be, of real code in a sandbox: of code that runs as long as
// one likes, and of code that can only run for so many iterations.
#include "bench/targets/native_execution.h"

#include "bench/host/timer.h"
#include "bench/sandbox/sandbox.h"
#include "bench/sandbox/testing.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>

#include <cmocka.h>

static const double wanted_ticks = 300000;
enum { ADDRESS = 0x2324000, REPEATS = 4 };

// Shared with the child.
struct chosen {
    const struct bench_code *code;
    struct fault_note note;
    volatile unsigned n_steps;
    struct target_lengths lengths;
    struct bench_seen seen;
    enum bench_outcome outcome; // noted while lengths were chosen
    enum bench_outcome later;   // and while pairs were executed
    uint64_t ticks;             // of the quickest long execution
    enum bench_memory memory;   // what stands behind the pages at the end
    unsigned n_pages;           // number of them
};

// What code of our own was called with, in its order.
struct calls {
    uint64_t iterations[16];
    unsigned n;
};

static void note_call(uint64_t iterations, void *memory) {
    struct calls *calls = memory;
    assert_true(calls->n < sizeof calls->iterations / sizeof *calls->iterations);
    calls->iterations[calls->n++] = iterations;
}

static struct calls calls_of_a_pair(struct target_lengths lengths, uint64_t n_warmup) {
    struct calls calls = {0};
    struct fault_note note = {0};
    volatile unsigned n_steps = 0;
    struct native_executor executor = {.room.note = &note, .n_steps = &n_steps};
    const struct bench_code none = {.bodies = 1};
    const struct native_code code = {&none, note_call, &calls};
    struct target_sample samples[2];
    assert_int_equal(native_execute_pair(&executor, &code, &lengths, n_warmup, samples), 0);
    return calls;
}

// Without the first of the three, the short execution alone would pay for cold caches and predictors.
static void a_pair_begins_with_an_untimed_pass(void **state) {
    (void)state;
    static const uint64_t expected[] = {30, 20, 100}, shortest[] = {1, 1, 2};
    struct calls calls = calls_of_a_pair((struct target_lengths){20, 100, 1}, 30);
    assert_int_equal(calls.n, 3);
    assert_memory_equal(calls.iterations, expected, sizeof expected);
    calls = calls_of_a_pair((struct target_lengths){1, 2, 1}, 0);
    assert_int_equal(calls.n, 3);
    assert_memory_equal(calls.iterations, shortest, sizeof shortest);
}

// It is one call, however many each execution is, and of a quarter of the short one's iterations at most.
static void code_that_cannot_run_for_long_has_a_short_one(void **state) {
    (void)state;
    static const uint64_t expected[] = {5, 20, 20, 20, 31, 31, 31};
    struct calls calls = calls_of_a_pair((struct target_lengths){20, 31, 3}, 30);
    assert_int_equal(calls.n, 7);
    assert_memory_equal(calls.iterations, expected, sizeof expected);
}

// However few iterations are wanted: what decodes instructions counts passes, not time.
static void a_warm_up_has_passes_for_the_front_end(void **state) {
    (void)state;
    static const struct {
        uint64_t n_long, wanted, warmup;
    } cases[] = {{100000, 6250, 6250}, {100000, 3, 64}, {256, 3, 64}, {46, 3, 11}, {46, 20, 20}, {2, 1, 1}, {2, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(native_execution_warmup(&(struct target_lengths){1, cases[i].n_long, 1}, cases[i].wanted, 1),
                         cases[i].warmup);
}

enum { CHOSEN, FAILED };

static int choose(struct sandbox *sandbox, void *context) {
    struct chosen *chosen = context;
    struct native_executor executor = {.n_steps = &chosen->n_steps};
    struct target_sample samples[2];
    code_function function;
    if (!code_room_open(&executor.room, &chosen->code, 1, &function, &chosen->note) ||
        !sandbox_seal(sandbox, &executor.room))
        return FAILED;
    code_room_clean(&executor.room, chosen->code);
    const struct native_code code = {chosen->code, function, executor.room.buffer};
    const struct lengths_request request = {.wanted_ticks = wanted_ticks};
    if (native_execution_choose(&executor, &code, &request, &chosen->lengths, &chosen->seen) != 0)
        return FAILED;
    chosen->outcome = (enum bench_outcome)chosen->note.outcome;
    chosen->ticks = UINT64_MAX;
    for (int i = 0; i < REPEATS && chosen->lengths.n_long && chosen->note.outcome == BENCH_OK; i++) {
        native_execute_pair(&executor, &code, &chosen->lengths, chosen->lengths.n_short, samples);
        chosen->ticks = samples[1].ticks < chosen->ticks ? samples[1].ticks : chosen->ticks;
    }
    chosen->later = (enum bench_outcome)chosen->note.outcome;
    chosen->memory = executor.room.memory.kind;
    chosen->n_pages = executor.room.memory.n_pages;
    return CHOSEN;
}

static struct chosen choose_counted(const char *hex, unsigned n_instructions, struct bench_foreign rules) {
    struct arena arena = {0};
    struct fail fail = {0};
    enum bench_outcome outcome;
    int status;
    if (!foreign_code_exists())
        skip();
    rules.fill = ADDRESS;
    rules.lowest_address = 0x10000;
    rules.stores = true;
    struct bench_code code = foreign_code(&arena, (struct foreign_body){.hex = hex, .rax = ADDRESS}, rules);
    code.body_instructions = n_instructions;
    struct chosen *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
    shared->code = &code;
    const struct sandbox_job job = {.body = choose, .context = shared, .note = &shared->note, .timeout_seconds = 20};
    assert_true(sandbox_run(&job, &outcome, &status, &fail));
    assert_int_equal(outcome, BENCH_OK);
    assert_int_equal(status, CHOSEN);
    struct chosen chosen = *shared;
    munmap(shared, sizeof *shared);
    arena_free(&arena);
    return chosen;
}

// Nobody has counted its instructions.
static struct chosen choose_with(const char *hex, struct bench_foreign rules) {
    return choose_counted(hex, 0, rules);
}

static struct chosen choose_for(const char *hex, unsigned most_pages) {
    return choose_with(hex, (struct bench_foreign){.most_pages = most_pages, .frames = 1});
}

// Endless code is asked for no limit; the long execution takes about as long as wanted.
static void code_without_a_limit(void **state) {
    (void)state;
    struct chosen chosen = choose_for("480fafc9", 0); // imul rcx, rcx
    assert_int_equal(chosen.outcome, BENCH_OK);
    assert_int_equal(chosen.seen.most_iterations, 0);
    assert_int_equal(chosen.lengths.n_long, 8 * chosen.lengths.n_short);
    assert_true(chosen.lengths.n_long > 1000 && chosen.lengths.n_calls <= 1);
    if ((double)chosen.ticks > 4 * wanted_ticks)
        skip(); // somebody else had the CPU
    assert_true((double)chosen.ticks > wanted_ticks / 16);
}

// `most`: iterations after which it cannot go on; `least`: that are found. Under load an iteration may seem to take
// long enough; then no limit is met.
static void check_limited(const char *hex, unsigned most_pages, uint64_t least, uint64_t most) {
    struct chosen chosen = choose_for(hex, most_pages);
    assert_int_equal(chosen.outcome, BENCH_OK);
    assert_int_equal(chosen.later, BENCH_OK);
    assert_true(chosen.lengths.n_short >= 1 && chosen.lengths.n_long > chosen.lengths.n_short);
    assert_true(chosen.lengths.n_long <= most);
    if (!chosen.seen.most_iterations)
        skip();
    assert_true(chosen.seen.most_iterations <= most);
    assert_true(chosen.seen.most_iterations >= least);
    assert_true(chosen.lengths.n_calls > 1);
}

// It walks: a page each iteration. All pairs stay within what it can run, those with more iterations as well.
static void code_that_walks(void **state) {
    (void)state;
    static const unsigned pages[] = {2, 3, 7, 64, 150, 1000};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        check_limited("89084805"
                      "00100000",
                      pages[i], pages[i] - pages[i] / 4, pages[i]); // mov [rax], ecx; add rax, 4096
}

// Pages of its own: where those that the cache holds last long enough, no more appear; else they take turns, if they
// may.
static void code_that_walks_over_its_own_pages(void **state) {
    (void)state;
    // imul rcx, rcx, 8 times: then mov [rax], ecx; add rax, 8
    struct chosen slow = choose_with("480fafc9480fafc9480fafc9480fafc9480fafc9480fafc9480fafc9480fafc98908"
                                     "4883c008",
                                     (struct bench_foreign){.most_pages = 64, .is_own = true, .frames = 8});
    assert_int_equal(slow.outcome, BENCH_OK);
    assert_int_equal(slow.memory, MEMORY_OWN);
    assert_true(slow.n_pages < 8 && slow.lengths.n_long < 8UL * 512);
    // mov [rax], ecx; add rax, 64
    struct chosen quick =
        choose_with("89084883c040", (struct bench_foreign){.most_pages = 64, .is_own = true, .frames = 8});
    assert_int_equal(quick.outcome, BENCH_OK);
    assert_true(quick.n_pages > 8);
    assert_true(quick.memory == MEMORY_TURNS || quick.memory == MEMORY_LARGE);
}

// Streams that run into the memory which others have left, or that follow each other by little more than a page. All
// 64 pages at once cannot take turns then. Fewer can, or the few that the cache holds last for a shorter run. The
// product's chain takes the time, wherever the memory is.
static void code_whose_streams_meet(void **state) {
    (void)state;
    static const struct {
        const char *hex;
        unsigned n_instructions;
    } codes[] = {
        // imul rcx, rcx; mov [rax], ecx; mov edx, [rax - 15 pages]; mov edx, [rax - 30 pages]; add rax, 16
        {"480fafc989088b900010ffff8b900020feff4883c010", 5},
        // imul rcx, rcx; mov [rax + 1 MiB], ecx; mov edx, [rax - 4800]; mov edx, [rax]; mov edx, [rax + 4800]; add rax,
        // 16
        {"480fafc98988000010008b9040edffff8b108b90c01200004883c010", 6},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct chosen chosen = choose_counted(codes[i].hex, codes[i].n_instructions,
                                              (struct bench_foreign){.most_pages = 64, .is_own = true, .frames = 8});
        assert_int_equal(chosen.outcome, BENCH_OK);
        assert_int_not_equal(chosen.memory, MEMORY_LARGE);
    }
}

// Accesses that may never fault have their pages for as many iterations as run, and no more: seven further ones would
// touch too many here.
static void code_whose_pages_are_there_before(void **state) {
    (void)state;
    static const struct bench_touch touch = {.address = ADDRESS, .stride = 2048, .size = 4};
    struct chosen chosen = choose_with(
        "89084805"
        "00080000", // mov [rax], ecx; add rax, 2048
        (struct bench_foreign){.most_pages = 16, .is_own = true, .frames = 32, .touches = &touch, .n_touches = 1});
    assert_int_equal(chosen.outcome, BENCH_OK);
    assert_int_equal(chosen.later, BENCH_OK);
    assert_true(chosen.lengths.n_long > 16 && chosen.lengths.n_long <= 32);
}

// It shifts its address out of the user's half: 0x2324000 << 21 is the last one below 2^47. A sanitizer's memory may
// come before.
static void code_that_computes_what_is_no_address(void **state) {
    (void)state;
    check_limited("8908"
                  "48d1e0",
                  4096, 4, 22); // mov [rax], ecx; shl rax, 1
}

static void what_runs_once_only_has_no_lengths(void **state) {
    (void)state;
    struct chosen chosen = choose_for("8b0831c0", 4); // mov ecx, [rax]; xor eax, eax
    assert_int_equal(chosen.outcome, BENCH_SIGSEGV);
    assert_int_equal(chosen.seen.most_iterations, 1);
    assert_int_equal(chosen.lengths.n_long, 0);
    assert_true(chosen.note.fault.is_known && chosen.note.fault.address == 0);
}

static void what_does_not_run_at_all_has_none_either(void **state) {
    (void)state;
    struct chosen chosen = choose_for("0f0b", 4); // ud2
    assert_int_equal(chosen.outcome, BENCH_SIGILL);
    assert_int_equal(chosen.seen.most_iterations, 0);
    assert_int_equal(chosen.lengths.n_long, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_begins_with_an_untimed_pass),
        cmocka_unit_test(code_that_cannot_run_for_long_has_a_short_one),
        cmocka_unit_test(a_warm_up_has_passes_for_the_front_end),
        cmocka_unit_test(code_without_a_limit),
        cmocka_unit_test(code_that_walks),
        cmocka_unit_test(code_that_walks_over_its_own_pages),
        cmocka_unit_test(code_whose_streams_meet),
        cmocka_unit_test(code_whose_pages_are_there_before),
        cmocka_unit_test(code_that_computes_what_is_no_address),
        cmocka_unit_test(what_runs_once_only_has_no_lengths),
        cmocka_unit_test(what_does_not_run_at_all_has_none_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
