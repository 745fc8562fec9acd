// Addresses of a walk: those of a run that a test states, and those that follow from registers and the program counter.
#include "analyzer/predict/core_plan.h"
#include "analyzer/predict/testing_cpu_file.h"

#include "base/bytes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char parameters[] = "cpu: 1\n"
                                 "name: small\n"
                                 "base: skylake\n"
                                 "parameters:\n"
                                 "  dispatch-width: 4\n"
                                 "  loads-per-cycle: 2\n"
                                 "  forward-latency: 4\n"
                                 "  blocked-load: 16\n"
                                 "  new-page: 9\n";

static int open_small(void **state) {
    return testing_cpu_file_open(state, parameters);
}

enum { TURNS = 32, MOST_STEPS = 2 * TURNS, LINE = 64, PAGE = 4096, FIRST = 0x10000 };

// Of so many turns: each instruction has one access, 8 bytes.
struct made_run {
    struct memory_access accesses[MOST_STEPS];
    struct execution_step steps[MOST_STEPS];
    struct execution run;
};

static void add(struct made_run *made, uint64_t address, bool is_store) {
    const unsigned n = made->run.n_steps++;
    made->accesses[n] =
        (struct memory_access){.address = address, .bytes = 8, .is_store = is_store, .is_known = address != 0};
    made->steps[n] = (struct execution_step){.has_accesses = true, .n_accesses = 1, .accesses = &made->accesses[n]};
    made->run.steps = made->steps;
}

static struct bounds bounds_of(struct testing_cpu_file *file, const char *hex, const struct made_run *made) {
    const struct bounds_request way = {.pages_are_new = true, .run = made ? &made->run : NULL};
    return testing_bounds(file, hex, way);
}

static void assert_near(double value, double wanted) {
    if (fabs(value - wanted) > 1e-6)
        fail_msg("%g, not %g", value, wanted);
}

static const char store_then_load[] = "488907488b06"; // mov [rdi], rax; mov rax, [rsi]

// Two registers are taken to hold addresses of their own, unless a run shows that they hold one.
static void a_load_meets_the_store_that_ran(void **state) {
    struct made_run one = {0}, apart = {0}, unknown = {0}, narrow = {0};
    add(&one, FIRST, true);
    add(&one, FIRST, false);
    add(&apart, FIRST, true);
    add(&apart, FIRST + LINE, false);
    add(&unknown, FIRST, true);
    add(&unknown, 0, false);
    add(&narrow, FIRST, true);
    add(&narrow, FIRST + 4, false);
    assert_near(bounds_of(*state, store_then_load, NULL).cycles[BOUND_LATENCY], 0);
    assert_near(bounds_of(*state, store_then_load, &one).cycles[BOUND_LATENCY], 4);
    assert_near(bounds_of(*state, store_then_load, &apart).cycles[BOUND_LATENCY], 0);
    assert_near(bounds_of(*state, store_then_load, &unknown).cycles[BOUND_LATENCY], 0);
    assert_near(bounds_of(*state, store_then_load, &narrow).cycles[BOUND_LATENCY], 16);
}

// Turn i has the accesses of turn i of the run; behind the last one it begins anew.
static void turns_take_turns(void **state) {
    struct made_run made = {0};
    add(&made, FIRST, true);
    add(&made, FIRST + LINE, false);
    add(&made, FIRST + LINE, true);
    add(&made, FIRST + LINE, false);
    const struct bounds bounds = bounds_of(*state, store_then_load, &made);
    assert_true(bounds.cycles[BOUND_LATENCY] > 0 && bounds.cycles[BOUND_LATENCY] < 4);
}

static void the_core_takes_them_too(void **state) {
    struct testing_cpu_file *file = *state;
    struct made_run made = {0};
    struct block block;
    struct fail fail = {0};
    uint8_t bytes[sizeof store_then_load / 2];
    double apart, met;
    add(&made, FIRST, true);
    add(&made, FIRST, false);
    bytes_from_digits(store_then_load, strlen(store_then_load), bytes);
    assert_true(model_describe_bytes(&file->model, &file->arena, bytes, sizeof bytes, &block, &fail));
    struct bounds_request way = {.cpu = file->model.own, .block = &block};
    assert_true(core_cycles_find(&way, 0, &apart, &fail));
    way.run = &made.run;
    assert_true(core_cycles_find(&way, 0, &met, &fail));
    assert_true(apart < 2);
    assert_near(met, 4);
}

static void a_load_crosses_two_lines(void **state) {
    static const char load[] = "488b07"; // mov rax, [rdi]
    struct made_run inside = {0}, across = {0}, half = {0};
    add(&inside, FIRST, false);
    add(&across, FIRST + LINE - 4, false);
    add(&half, FIRST, false);
    add(&half, FIRST + LINE - 4, false);
    assert_near(bounds_of(*state, load, &inside).cycles[BOUND_LOADS], 0.5);
    assert_near(bounds_of(*state, load, &across).cycles[BOUND_LOADS], 1);
    assert_near(bounds_of(*state, load, &half).cycles[BOUND_LOADS], 0.75);
}

// xchg and leave take addresses with them: what is loaded then is what was stored.
static void addresses_are_exchanged(void **state) {
    // mov [rsi], rax; xchg rsi, rdi; mov rax, [rdi]; xchg rsi, rdi
    assert_near(bounds_of(*state, "4889064887f7488b074887f7", NULL).cycles[BOUND_LATENCY], 4);
    // mov [rbp], rax; mov rbx, rbp; leave; mov rax, [rsp - 8]; mov rbp, rbx
    assert_near(bounds_of(*state, "488945004889ebc9488b4424f84889dd", NULL).cycles[BOUND_LATENCY], 4);
}

// A page is new where an access moves on to it, and not where it comes back.
static void pages_are_new_once(void **state) {
    static const char load[] = "488b07";
    struct made_run on = {0}, back = {0}, within = {0}, slowly = {0};
    for (unsigned i = 0; i < TURNS; i++) {
        add(&on, FIRST + (uint64_t)i * PAGE, false);
        add(&back, FIRST + (uint64_t)(i % 4) * PAGE, false);
        add(&within, FIRST + (uint64_t)(i % 2) * PAGE / 2, false);
        add(&slowly, FIRST + (uint64_t)i * LINE, false);
    }
    assert_near(bounds_of(*state, load, &on).cycles[BOUND_LOADS], 1);
    assert_near(bounds_of(*state, load, &back).cycles[BOUND_LOADS], 0.5);
    assert_near(bounds_of(*state, load, &within).cycles[BOUND_LOADS], 0.5);
    assert_near(bounds_of(*state, load, &slowly).cycles[BOUND_LOADS], 0.5 + 9. * LINE / PAGE);
}

static void what_is_not_followed(void **state) {
    static const char product[] = "480fafc3488b08"; // imul rax, rbx; mov rcx, [rax]
    struct made_run made = {0};
    add(&made, FIRST, true); // of an instruction that accesses nothing; nobody looks at it
    add(&made, FIRST, false);
    assert_int_equal(bounds_of(*state, store_then_load, NULL).n_unfollowed, 0);
    assert_true(bounds_of(*state, product, NULL).n_unfollowed > 0);
    assert_int_equal(bounds_of(*state, product, &made).n_unfollowed, 0);
}

// An address relative to the instruction is another one in each copy of it, and the same in each turn of a loop.
static void beside_the_code(void **state) {
    static const char load_then_store[] = "488b0500010000488905f9000000"; // mov rax, [rip+0x100]; mov [rip+0xf9], rax
    const struct bounds_request looped = {.is_loop = true}, unrolled = {.is_loop = false};
    assert_near(testing_bounds(*state, load_then_store, looped).cycles[BOUND_LATENCY], 4);
    assert_near(testing_bounds(*state, load_then_store, unrolled).cycles[BOUND_LATENCY], 0);
}

// By fs, too, one register's address is not another's. One register's is its own.
static void a_segment_keeps_addresses_apart(void **state) {
    assert_near(bounds_of(*state,
                          "6448894708"  // mov fs:[rdi + 8], rax
                          "64488b4608", // mov rax, fs:[rsi + 8]
                          NULL)
                    .cycles[BOUND_LATENCY],
                0);
    assert_near(bounds_of(*state, "644889470864488b4708", NULL).cycles[BOUND_LATENCY], 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_meets_the_store_that_ran),
        cmocka_unit_test(a_segment_keeps_addresses_apart),
        cmocka_unit_test(turns_take_turns),
        cmocka_unit_test(the_core_takes_them_too),
        cmocka_unit_test(addresses_are_exchanged),
        cmocka_unit_test(a_load_crosses_two_lines),
        cmocka_unit_test(pages_are_new_once),
        cmocka_unit_test(what_is_not_followed),
        cmocka_unit_test(beside_the_code),
    };
    return cmocka_run_group_tests(tests, open_small, testing_cpu_file_close);
}
