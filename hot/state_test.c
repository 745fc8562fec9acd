// Loops' states copied from running programs, which go on unchanged.
#include "hot/state.h"

#include "hot/moments.h"
#include "hot/testing_lab.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__x86_64__)

enum { RDI = 7, RSI = 6, STATUS = 3 };

static struct arena arena;
static struct decoder decoder;

static int open_decoder(void **state) {
    struct fail fail = {0};
    (void)state;
    return decoder_open(&decoder, &arena, isa_find("x86_64"), NULL, &fail) ? 0 : -1;
}

static int close_decoder(void **state) {
    (void)state;
    decoder_close(&decoder);
    arena_free(&arena);
    return 0;
}

static uint64_t word_at(const struct hot_state *state, uint64_t address) {
    uint64_t word = 0;
    for (size_t i = 0; i < state->n_pages; i++) {
        const struct segment *page = &state->pages[i];
        if (address >= page->address && address + sizeof word <= page->address + page->n_bytes)
            memcpy(&word, page->bytes + (address - page->address), sizeof word);
    }
    return word;
}

// The sum that the program would have got: of the words that the copied pages hold, by the registers.
static void copies_registers_and_memory(void **context) {
    struct testing_target target;
    (void)context;
    testing_target_open(&target, "sum");
    struct testing_copy copy = testing_copy_state(&arena, &decoder, &target, "once", 4000);
    if (copy.why)
        fail_msg("%s", copy.why);
    const struct hot_state *state = copy.state;
    assert_int_equal(state->head, state->registers.counter);
    assert_int_equal(state->steps[0], state->head);
    uint64_t sum = state->registers.general[0], address = state->registers.general[RDI];
    for (size_t i = 0; i + 4 < state->n_steps; i += 4, address += sizeof(uint64_t)) { // 4 instructions a turn
        assert_int_equal(state->before[i].general[RDI], address);
        assert_int_equal(state->before[i].general[0], sum);
        sum += word_at(state, address);
    }
    if (state->n_steps < 40) { // the copy has a second, in which it gets what others leave of the CPU
        print_message("unstable: this machine was too busy to step through the loop\n");
        skip();
    }
    assert_true(state->turns >= state->n_steps / 4);
    assert_int_equal(state->entries, 1);
}

// With and without us, a program prints and returns the same.
static void leaves_programs_unchanged(void **context) {
    static const char *const runs[][2] = {
        {"store", "once"}, {"sum", "busy"}, {"system", "once"}, {"store", "shared"}, {"store", "child"}};
    (void)context;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct testing_target target;
        testing_target_open(&target, runs[i][0]);
        struct testing_copy copy = testing_copy_state(&arena, &decoder, &target, runs[i][1], 4000);
        struct testing_copy alone = testing_run_alone(&arena, &target, runs[i][1]);
        if (!WIFEXITED(copy.run.status))
            fail_msg("%s %s ended by signal %d", runs[i][0], runs[i][1], WTERMSIG(copy.run.status));
        assert_int_equal(WEXITSTATUS(copy.run.status), STATUS);
        assert_int_equal(alone.run.status, copy.run.status);
        assert_string_equal(alone.printed, copy.printed);
        if (strcmp(runs[i][1], "shared") != 0)
            assert_null(copy.why);
        else
            assert_non_null(strstr(copy.why, "shares"));
    }
}

// The pages of all elements, of which no register holds an address.
static void copies_what_gathers_touch(void **context) {
    enum { PAGE = 4096, ELEMENTS = 8 };
    struct testing_target target;
    (void)context;
    if (!__builtin_cpu_supports("avx2")) {
        print_message("this CPU has no gathers\n");
        skip();
    }
    testing_target_open(&target, "gather");
    struct testing_copy copy = testing_copy_state(&arena, &decoder, &target, "once", 60);
    assert_non_null(copy.state);
    for (uint64_t i = 0; i < ELEMENTS; i++)
        assert_true(word_at(copy.state, copy.state->registers.general[RDI] + (2 * i + 1) * PAGE) != 0);
    assert_true(word_at(copy.state, copy.state->registers.general[RDI] + UINT64_C(2) * PAGE) == 0); // not there
}

static void ends_before_system_calls(void **context) {
    struct testing_target target;
    (void)context;
    testing_target_open(&target, "system");
    struct testing_copy copy = testing_copy_state(&arena, &decoder, &target, "once", 4000);
    assert_non_null(copy.state);
    assert_int_equal(copy.state->end, HOT_END_CALL);
    assert_int_equal(copy.state->n_steps, 1);
}

// Its memory cannot be copied: a replay would end by a fault.
static void ends_before_the_kernels_clock(void **context) {
    struct testing_target target;
    (void)context;
    testing_target_open(&target, "clock");
    struct testing_copy copy = testing_copy_state(&arena, &decoder, &target, "once", 4000);
    assert_non_null(copy.state);
    if (word_at(copy.state, copy.state->registers.general[RDI]) == copy.state->registers.general[RDI]) {
        print_message("this kernel has no clock in the memory of programs\n");
        skip();
    }
    assert_int_equal(copy.state->end, HOT_END_CALL);
    assert_int_equal(copy.state->n_steps, 1);
}

static void names_what_is_never_reached(void **context) {
    struct testing_target target, other;
    (void)context;
    testing_target_open(&target, "multiply");
    testing_target_open(&other, "divide-7");
    target.loop.head = other.loop.head;
    target.range = other.range;
    struct testing_copy copy = testing_copy_state(&arena, &decoder, &target, "once", 4000);
    assert_null(copy.state);
    assert_non_null(strstr(copy.why, "not reached before the program ended"));
    assert_int_equal(WEXITSTATUS(copy.run.status), STATUS);
}

// Runs a target by itself, until it is in its loop.
static pid_t start_target(struct testing_target *target, char *mode) {
    target->loop.ranges = &target->range;
    target->argv[3] = mode;
    pid_t pid = fork();
    if (pid == 0) {
        execv(target->argv[0], target->argv);
        _exit(127);
    }
    usleep(50000);
    return pid;
}

static void attaches_to_a_process(void **context) {
    struct testing_target target;
    struct hot_copies copies;
    struct hot_run run;
    struct fail fail = {0};
    int status;
    (void)context;
    testing_target_open(&target, "adds");
    char mode[] = "long";
    const pid_t pid = start_target(&target, mode);
    const struct hot_capture capture = {.pid = pid, .loop = &target.loop, .module = &target.module};
    bool is_done = hot_state_capture(&arena, &decoder, &capture, 1, &copies, &run, &fail);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == STATUS);
    if (!is_done && fail.status == FAIL_UNAVAILABLE)
        skip();
    assert_true(is_done);
    assert_null(copies.why);
    assert_true(copies.states[0]->turns > 10);
}

// A program that a key ended in its first run gets it in this one, too, and not too early.
static void presses_keys(void **context) {
    struct testing_target target;
    struct hot_copies copies;
    struct hot_run run;
    struct fail fail = {0};
    char mode[] = "late";
    (void)context;
    testing_target_open(&target, "adds");
    target.loop.ranges = &target.range;
    target.argv[3] = mode;
    struct hot_capture capture = {.argv = target.argv,
                                  .loop = &target.loop,
                                  .module = &target.module,
                                  .most_steps = 400,
                                  .run_seconds = 100,
                                  .key = SIGINT};
    if (!hot_state_capture(&arena, &decoder, &capture, 1, &copies, &run, &fail) && fail.status == FAIL_UNAVAILABLE)
        skip();
    assert_true(WIFEXITED(run.status) && WEXITSTATUS(run.status) == STATUS);
    char busily[] = "long";
    target.argv[3] = busily;
    capture.run_seconds = 0.1;
    assert_true(hot_state_capture(&arena, &decoder, &capture, 1, &copies, &run, &fail));
    assert_int_equal(copies.n, 1);
    assert_true(WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGINT);
}

// A key that came to us alone, while we watch or wait for the program's end.
static void passes_keys_on(void **context) {
    struct testing_target target;
    char mode[] = "long";
    int status;
    (void)context;
    testing_target_open(&target, "adds");
    target.loop.ranges = &target.range;
    target.argv[3] = mode;
    const struct hot_capture capture = {
        .argv = target.argv, .loop = &target.loop, .module = &target.module, .most_steps = 400};
    const pid_t pid = fork();
    if (pid == 0) {
        struct hot_copies copies;
        struct hot_run run;
        struct fail fail = {0};
        setpgid(0, 0);
        if (!hot_state_capture(&arena, &decoder, &capture, 1, &copies, &run, &fail))
            _exit(fail.status == FAIL_UNAVAILABLE ? 77 : 1);
        _exit(WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGINT ? 0 : 2);
    }
    usleep(300000);
    kill(pid, SIGINT);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

// We are killed while our breakpoint is in another process, which comes to it later.
static void leaves_no_breakpoint_when_killed(void **context) {
    struct testing_target target;
    char mode[] = "late";
    int status;
    (void)context;
    testing_target_open(&target, "adds");
    const pid_t pid = start_target(&target, mode);
    const struct hot_capture capture = {.pid = pid, .loop = &target.loop, .module = &target.module};
    pid_t other = fork();
    if (other == 0) {
        struct hot_copies copies;
        struct hot_run run;
        struct fail fail = {0};
        hot_state_capture(&arena, &decoder, &capture, 1, &copies, &run, &fail);
        _exit(0);
    }
    usleep(100000);
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == STATUS);
}

// Copies at two times: the program goes on in between, and prints what it does without us. By the wall clock, it may
// come to its loop only when both are over.
// A machine may be too busy to come in time for the second moment: false.
static bool has_copies(enum hot_clock clock) {
    static const double moments[] = {0, 0.05};
    struct testing_target target;
    struct hot_copies copies;
    struct hot_run run;
    struct fail fail = {0};
    char mode[] = "some";
    testing_target_open(&target, "adds");
    target.loop.ranges = &target.range;
    target.argv[3] = mode;
    const struct hot_capture capture = {.argv = target.argv,
                                        .loop = &target.loop,
                                        .module = &target.module,
                                        .most_steps = 400,
                                        .moments = moments,
                                        .n_moments = 2,
                                        .clock = clock};
    bool is_done = hot_state_capture(&arena, &decoder, &capture, 1, &copies, &run, &fail);
    if (!is_done && fail.status == FAIL_UNAVAILABLE)
        skip();
    assert_true(is_done);
    assert_true(WIFEXITED(run.status) && WEXITSTATUS(run.status) == STATUS);
    assert_true(copies.n == 1 || copies.n == 2);
    assert_true(copies.states[copies.n - 1]->seconds >= moments[copies.n - 1]);
    assert_true(copies.n == 1 || copies.states[0]->seconds < copies.states[1]->seconds);
    return copies.n == 2;
}

static void expect_copies(enum hot_clock clock) {
    enum { TRIES = 4 };
    for (unsigned i = 0; i < TRIES; i++)
        if (has_copies(clock))
            return;
    print_message("unstable: this machine was too busy to come to a second moment in time\n");
    skip();
}

static void copies_at_moments(void **context) {
    (void)context;
    expect_copies(HOT_CPU_CLOCK);
    expect_copies(HOT_WALL_CLOCK);
}

// Records a program of 0.06 s that waits now and then, and copies its loop at the moments that are chosen by that.
// Returns false where this is not possible here.
static bool copy_phases(struct testing_target *target, struct hot_copies *copies) {
    struct hot_profile profile;
    struct hot_run run;
    struct fail fail = {0};
    if (!hot_profile_record(&arena, target->argv, 0, &profile, &run, &fail))
        return false;
    assert_int_equal(profile.clock, HOT_CPU_CLOCK);
    while (target->loop.module < profile.n_modules &&
           strcmp(profile.modules[target->loop.module].path, target->module.path) != 0)
        target->loop.module++;
    const struct hot_loops loops = {.loops = &target->loop, .n = 1};
    struct hot_capture capture = {.argv = target->argv,
                                  .loop = &target->loop,
                                  .module = &target->module,
                                  .most_steps = 400,
                                  .clock = profile.clock,
                                  .run_seconds = run.elapsed};
    struct hot_moments moments;
    hot_moments_choose(&arena, &profile, &loops, &target->loop, 3, HOT_NARROW, &moments);
    capture.moments = moments.times;
    capture.n_moments = moments.n;
    return hot_state_capture(&arena, &decoder, &capture, 1, copies, &run, &fail);
}

// The first moment is in the first phase, and the last one in the second, wherever the program had to wait. A machine
// may be too busy to come in time.
static void copies_both_phases(void **context) {
    enum { TRIES = 4, RDX = 2, FIRST = 3 };
    char mode[] = "phases";
    (void)context;
    for (unsigned i = 0; i < TRIES; i++) {
        struct testing_target target;
        struct hot_copies copies;
        testing_target_open(&target, "adds");
        target.loop.ranges = &target.range;
        target.argv[3] = mode;
        if (!copy_phases(&target, &copies))
            skip();
        if (copies.n < 2)
            continue;
        const struct hot_state *first = copies.states[0], *last = copies.states[copies.n - 1];
        assert_int_equal(last->clock, HOT_CPU_CLOCK);
        if (first->registers.general[RDX] == FIRST && last->registers.general[RDX] == FIRST + 1)
            return;
    }
    print_message("unstable: this machine was too busy to copy each phase of a short program\n");
    skip();
}

static void refuses_programs(void **context) {
    char *const nothing[] = {(char[]){"/nonexistent/program"}, NULL};
    struct testing_target target;
    struct hot_copies copies;
    struct hot_run run;
    struct fail fail = {0};
    (void)context;
    testing_target_open(&target, "adds");
    target.loop.ranges = &target.range;
    struct hot_capture capture = {.argv = nothing, .loop = &target.loop, .module = &target.module};
    assert_false(hot_state_capture(&arena, &decoder, &capture, 1, &copies, &run, &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    assert_non_null(strstr(fail.text, "/nonexistent/program"));
    capture = (struct hot_capture){.pid = 0x3fffff, .loop = &target.loop, .module = &target.module};
    fail = (struct fail){0};
    assert_false(hot_state_capture(&arena, &decoder, &capture, 1, &copies, &run, &fail));
    assert_non_null(strstr(fail.text, "no process"));
}

int main(int argc, char **argv) {
    int status = testing_targets_main(argc, argv);
    if (status >= 0)
        return status;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_registers_and_memory),
        cmocka_unit_test(leaves_programs_unchanged),
        cmocka_unit_test(ends_before_system_calls),
        cmocka_unit_test(ends_before_the_kernels_clock),
        cmocka_unit_test(names_what_is_never_reached),
        cmocka_unit_test(attaches_to_a_process),
        cmocka_unit_test(copies_at_moments),
        cmocka_unit_test(copies_both_phases),
        cmocka_unit_test(presses_keys),
        cmocka_unit_test(passes_keys_on),
        cmocka_unit_test(leaves_no_breakpoint_when_killed),
        cmocka_unit_test(copies_what_gathers_touch),
        cmocka_unit_test(refuses_programs),
    };
    return cmocka_run_group_tests(tests, open_decoder, close_decoder);
}

#else
int main(void) {
    return 77;
}
#endif
