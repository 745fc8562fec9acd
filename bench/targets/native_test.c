// The native target on real code, as bytes. Asserts on time only what holds on any CPU, and skips where this one is
// too noisy to say.
#include "bench/host/timer.h"
#include "bench/lengths.h"
#include "bench/sandbox/sandbox.h"
#include "bench/sandbox/syscall_filter.h"
#include "bench/target.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct piece {
    const uint8_t *bytes;
    size_t n_bytes;
};
#define PIECE(array)                                                                                                   \
    { array, sizeof(array) }

#if defined(__x86_64__)
// push rbx … pop rbx; ret, around a loop of 64 copies: xor ecx,ecx first, so that nothing overflows or denormalises.
static const uint8_t setup[] = {0x53, 0x31, 0xc9, 0x31, 0xc0};
static const uint8_t add[] = {0x48, 0x01, 0xc8};            // add rax, rcx
static const uint8_t multiply[] = {0x48, 0x0f, 0xaf, 0xc1}; // imul rax, rcx
static const uint8_t nops[] = {0x90, 0x90, 0x90, 0x90};
static const uint8_t count_down[] = {0x48, 0xff, 0xcf}; // dec rdi
static const uint8_t back[] = {0x0f, 0x85};             // jnz, 32-bit distance from behind it
static const uint8_t finish[] = {0x5b, 0xc3};
static const uint8_t illegal[] = {0x0f, 0x0b};                               // ud2
static const uint8_t breakpoint[] = {0xcc};                                  // int3
static const uint8_t null_load[] = {0x31, 0xc0, 0x8b, 0x00};                 // xor eax, eax; mov eax, [rax]
static const uint8_t division[] = {0x31, 0xc9, 0x31, 0xd2, 0xf7, 0xf1};      // xor ecx,ecx; xor edx,edx; div ecx
static const uint8_t endless[] = {0xeb, 0xfe};                               // jmp to itself
static const uint8_t past_the_end[] = {0x90, 0x90, 0x90};                    // no ret: runs off the page
static const uint8_t leave[] = {0x31, 0xff, 0xb8, 231, 0, 0, 0, 0x0f, 0x05}; // exit_group(0)
static const uint8_t rights[] = {0xb8, 98, 0, 0, 0, 0x0f, 0x05, 0xc3};       // getrusage, which the harness may call
static const uint8_t old_call[] = {0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3};     // getpid through int 0x80
static const uint8_t disable[] = {0xfa, 0xc3};                               // cli
static const uint8_t halt[] = {0xf4, 0xc3};                                  // hlt
static const uint8_t ring_in[] = {0x66, 0xef, 0xc3};                         // out dx, ax
static const uint8_t overflow[] = {0x50, 0xeb, 0xfd};                        // push rax, again and again
// mov rax, 0x8000000000000000; mov [rax], eax: no address at all, so there is none in the fault
static const uint8_t wild_store[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x89, 0x00, 0xc3};
static const uint8_t nowhere[] = {0xb8, 0x00, 0x10, 0x00, 0x00, 0xff, 0xe0}; // mov eax, 0x1000; jmp rax
static const uint8_t unaligned[] = {0x0f, 0x28, 0x46, 0x01, 0xc3};           // movaps xmm0, [rsi + 1]
// Writes and reads both ends of the 64 KiB around rsi: mov [rsi-32768],eax; mov [rsi+32764],eax; ret
static const uint8_t memory_ends[] = {0x89, 0x86, 0x00, 0x80, 0xff, 0xff, 0x89, 0x86, 0xfc, 0x7f, 0x00, 0x00, 0xc3};
// One byte further: mov al,[rsi+32768]; ret
static const uint8_t memory_behind[] = {0x8a, 0x86, 0x00, 0x80, 0x00, 0x00, 0xc3};
static const uint8_t memory_before[] = {0x8a, 0x86, 0xff, 0x7f, 0xff, 0xff, 0xc3};
static const uint8_t patch[] = {0xc6, 0x05, 0xf9, 0xff, 0xff, 0xff, 0x90, 0xc3}; // mov byte ptr [rip - 7], 0x90: itself
static const bool has_code = true;
#else
static const uint8_t setup[] = {0}, add[] = {0}, multiply[] = {0}, nops[] = {0}, count_down[] = {0}, back[] = {0},
                     finish[] = {0};
static const uint8_t illegal[] = {0}, breakpoint[] = {0}, null_load[] = {0}, division[] = {0}, endless[] = {0};
static const uint8_t rights[] = {0}, old_call[] = {0}, disable[] = {0}, halt[] = {0}, ring_in[] = {0}, overflow[] = {0};
static const uint8_t wild_store[] = {0}, nowhere[] = {0}, unaligned[] = {0};
static const uint8_t past_the_end[] = {0}, leave[] = {0}, memory_ends[] = {0}, memory_behind[] = {0};
static const uint8_t memory_before[] = {0}, patch[] = {0};
static const bool has_code = false;
#endif

enum { COPIES = 64 };

static struct bench_code plain(struct piece piece) {
    return (struct bench_code){.bytes = piece.bytes, .n_bytes = piece.n_bytes, .bodies = 1};
}

static size_t put(uint8_t *to, struct piece piece) {
    memcpy(to, piece.bytes, piece.n_bytes);
    return piece.n_bytes;
}

// A loop of COPIES copies of `body`.
static struct bench_code loop(struct arena *arena, struct piece body) {
    uint8_t *bytes = arena_alloc(arena, 32 + COPIES * body.n_bytes);
    size_t n = put(bytes, (struct piece)PIECE(setup)), start = n;
    for (unsigned i = 0; i < COPIES; i++)
        n += put(bytes + n, body);
    n += put(bytes + n, (struct piece)PIECE(count_down));
    n += put(bytes + n, (struct piece)PIECE(back));
    int32_t distance = (int32_t)start - (int32_t)(n + 4);
    memcpy(bytes + n, &distance, 4);
    n += 4;
    n += put(bytes + n, (struct piece)PIECE(finish));
    return (struct bench_code){.bytes = bytes, .n_bytes = n, .bodies = COPIES};
}

struct native_session {
    struct arena arena;
    struct fail fail;
    struct target *target;
    struct bench_chains chains;
};

static const struct target_request nothing = {.clock = CLOCK_RATIO};

static void open_session(struct native_session *session) {
    *session = (struct native_session){0};
    if (!has_code)
        skip();
    session->target = target_native_open(&session->arena, -1, &nothing, &session->fail);
    assert_non_null(session->target);
    session->chains = (struct bench_chains){
        .reference = loop(&session->arena, (struct piece)PIECE(add)),
        .checks = {[CHECK_MULTIPLY] = loop(&session->arena, (struct piece)PIECE(multiply)),
                   [CHECK_ISSUE] = loop(&session->arena, (struct piece)PIECE(nops))},
    };
}

static void assert_no_children(void) {
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static enum bench_outcome run(struct native_session *session, const struct bench_code *code, double timeout_seconds,
                              unsigned *n_done) {
    struct target_round rounds[4];
    struct target_job job = {
        .rounds = rounds,
        .code = code,
        .reference = &session->chains.reference,
        .code_short = 1,
        .code_long = 2,
        .reference_short = 1,
        .reference_long = 2,
        .n_rounds = 4,
        .timeout_seconds = timeout_seconds,
    };
    enum bench_outcome outcome;
    assert_true(session->target->ops->run(session->target, &job, 1, &outcome, &session->fail));
    *n_done = job.n_done;
    assert_no_children();
    return outcome;
}

static void crashes_have_names(void **state) {
    (void)state;
    const struct {
        struct piece piece;
        enum bench_outcome outcome;
        unsigned n_done;
    } cases[] = {
        {PIECE(illegal), BENCH_SIGILL, 0},        {PIECE(breakpoint), BENCH_SIGTRAP, 0},
        {PIECE(null_load), BENCH_SIGSEGV, 0},     {PIECE(division), BENCH_SIGFPE, 0},
        {PIECE(endless), BENCH_TIMEOUT, 0},       {PIECE(leave), BENCH_SYSCALL, 0},
        {PIECE(memory_ends), BENCH_OK, 4},        {PIECE(memory_behind), BENCH_SIGSEGV, 0},
        {PIECE(memory_before), BENCH_SIGSEGV, 0}, {PIECE(wild_store), BENCH_PROTECTION, 0},
        {PIECE(nowhere), BENCH_JUMP, 0},          {PIECE(overflow), BENCH_STACK, 0},
        {PIECE(disable), BENCH_PRIVILEGED, 0},    {PIECE(halt), BENCH_PRIVILEGED, 0},
        {PIECE(old_call), BENCH_SYSCALL, 0},      {PIECE(unaligned), BENCH_PROTECTION, 0},
        {PIECE(ring_in), BENCH_PRIVILEGED, 0},    {PIECE(rights), BENCH_SYSCALL, 0},
        {PIECE(patch), BENCH_SIGSEGV, 0},
    };
    struct native_session session;
    open_session(&session);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench_code code = plain(cases[i].piece);
        double timeout_seconds = cases[i].outcome == BENCH_TIMEOUT ? 0.1 : 10;
        unsigned n_done;
        assert_int_equal(run(&session, &code, timeout_seconds, &n_done), cases[i].outcome);
        assert_int_equal(n_done, cases[i].n_done);
    }
    arena_free(&session.arena);
}

// Code that writes over all that lies above its stack frame, and code that leaves its own marks on the machine.
static void the_harness_survives_its_own_stack(void **state) {
    (void)state;
    // mov rdi, rsp; mov ecx, 4096; mov eax, 0; rep stosb; ret
    static const uint8_t smash[] = {0x48, 0x89, 0xe7, 0xb9, 0, 0x10, 0, 0, 0x31, 0xc0, 0xf3, 0xaa, 0xc3};
    struct native_session session;
    open_session(&session);
    struct bench_code code = plain((struct piece)PIECE(smash));
    unsigned n_done;
    enum bench_outcome outcome = run(&session, &code, 10, &n_done);
    assert_true(outcome != BENCH_OK);
    assert_int_equal(n_done, 0);
    arena_free(&session.arena);
}

// A process that runs several pieces of code gives each what it would find in one of its own.
static void nothing_is_left_for_the_next(void **state) {
    (void)state;
    // mov qword ptr [rsi], 1; push 0x9fc0 (denormals are zero); ldmxcsr [rsp]; pop rax; pxor mm0, mm0
    // (takes all x87 registers); ret
    static const uint8_t litter[] = {0x48, 0xc7, 6,    1,    0,    0,    0,    0x68, 0xc0, 0x9f, 0,
                                     0,    0x0f, 0xae, 0x14, 0x24, 0x58, 0x0f, 0xef, 0xc0, 0xc3};
    // cmp qword ptr [rsi], 0; jne bad; push rax; stmxcsr [rsp]; pop rax; and eax, 0xffc0; cmp eax, 0x1f80; jne bad;
    // sub rsp, 40; fnstenv [rsp]; mov eax, [rsp + 8]; add rsp, 40; cmp ax, 0xffff (all are free); jne bad; ret; bad:
    // ud2
    static const uint8_t look[] = {0x48, 0x83, 0x3e, 0,    0x75, 0x28, 0x50, 0x0f, 0xae, 0x1c, 0x24, 0x58,
                                   0x25, 0xc0, 0xff, 0,    0,    0x3d, 0x80, 0x1f, 0,    0,    0x75, 0x16,
                                   0x48, 0x83, 0xec, 40,   0xd9, 0x34, 0x24, 0x8b, 0x44, 0x24, 8,    0x48,
                                   0x83, 0xc4, 40,   0x66, 0x83, 0xf8, 0xff, 0x75, 0x01, 0xc3, 0x0f, 0x0b};
    struct native_session session;
    open_session(&session);
    enum { N_ROUNDS = 2 };
    const struct bench_code codes[] = {plain((struct piece)PIECE(litter)), plain((struct piece)PIECE(look))};
    struct target_round rounds[2][N_ROUNDS];
    struct target_job jobs[2];
    for (unsigned i = 0; i < 2; i++)
        jobs[i] = (struct target_job){
            .code = &codes[i],
            .rounds = rounds[i],
            .reference = &session.chains.reference,
            .code_short = 1,
            .code_long = 2,
            .reference_short = 1,
            .reference_long = 2,
            .n_rounds = N_ROUNDS,
            .timeout_seconds = 10,
        };
    enum bench_outcome outcome;
    assert_true(session.target->ops->run(session.target, jobs, 2, &outcome, &session.fail));
    assert_int_equal(outcome, BENCH_OK);
    assert_int_equal(jobs[0].n_done, N_ROUNDS);
    assert_int_equal(jobs[1].n_done, N_ROUNDS);
    arena_free(&session.arena);
}

// Whether two jobs have their rounds' references from the same runs. Times of a few timer steps may be alike by chance,
// but not in all rounds.
static bool are_shared(const struct target_round *a, const struct target_round *b, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], offsetof(struct target_round, code_short)) != 0)
            return false;
    return true;
}

// Short codes share rounds, each with memory of its own. A long one, with the fewest iterations there are, has its own.
static void short_codes_share_rounds(void **state) {
    (void)state;
    enum { N_JOBS = 3, N_ROUNDS = 16, SHORT_CODE = 3, LONG_CODE = 2 };
    static const uint8_t store[] = {0x48, 0xc7, 6, 1, 0, 0, 0, 0xc3};                  // mov qword ptr [rsi], 1; ret
    static const uint8_t look[] = {0x48, 0x83, 0x3e, 0, 0x75, 0x01, 0xc3, 0x0f, 0x0b}; // is that 0? else ud2
    struct native_session session;
    open_session(&session);
    const struct bench_code codes[] = {plain((struct piece)PIECE(store)), plain((struct piece)PIECE(look)),
                                       plain((struct piece)PIECE(look))};
    struct target_round rounds[N_JOBS][N_ROUNDS];
    struct target_job jobs[N_JOBS];
    memset(rounds, 0xff, sizeof rounds); // no time that a code takes
    for (unsigned i = 0; i < N_JOBS; i++)
        jobs[i] = (struct target_job){
            .code = &codes[i],
            .rounds = rounds[i],
            .reference = &session.chains.reference,
            .code_short = 1,
            .code_long = i == 2 ? LONG_CODE : SHORT_CODE,
            .reference_short = 1,
            .reference_long = 2,
            .n_rounds = N_ROUNDS,
            .timeout_seconds = 10,
        };
    enum bench_outcome outcome;
    assert_true(session.target->ops->run(session.target, jobs, N_JOBS, &outcome, &session.fail));
    assert_int_equal(outcome, BENCH_OK);
    for (unsigned i = 0; i < N_JOBS; i++) {
        assert_int_equal(jobs[i].n_done, N_ROUNDS);
        assert_true(are_shared(rounds[i], rounds[0], N_ROUNDS) == (i < 2));
        assert_true(rounds[i][0].code_long.ticks < UINT64_MAX);
    }
    arena_free(&session.arena);
}

// rdtsc into rax, twice: until `ticks` are over, whatever the iterations. Ticks pass when somebody else has the CPU,
// too: so it never computes for longer.
static struct bench_code wait_for_ticks(struct arena *arena, uint64_t ticks) {
    // rdtsc; shl rdx, 32; or rax, rdx; mov rcx, …
    static const uint8_t begin[] = {0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x48, 0xb9};
    // add rcx, rax; back: rdtsc; shl rdx, 32; or rax, rdx; cmp rax, rcx; jb back; ret
    static const uint8_t rest[] = {0x48, 0x01, 0xc1, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20,
                                   0x48, 0x09, 0xd0, 0x48, 0x39, 0xc8, 0x72, 0xf2, 0xc3};
    uint8_t *bytes = arena_alloc(arena, sizeof begin + sizeof ticks + sizeof rest);
    size_t n = put(bytes, (struct piece)PIECE(begin));
    memcpy(bytes + n, &ticks, sizeof ticks);
    n += sizeof ticks;
    n += put(bytes + n, (struct piece)PIECE(rest));
    return plain((struct piece){bytes, n});
}

// Together they compute for longer than one of them may, and each for much less; nor is a step too long. Tried a few
// times: what a hypervisor takes without saying so counts as computing.
static void each_job_has_its_own_time(void **state) {
    (void)state;
    enum { N_JOBS = 8, N_ROUNDS = 4, CALLS_OF_A_PAIR = 3 };
    static const double call_seconds = 0.005, timeout_seconds = 0.4;
    assert_true(N_JOBS * N_ROUNDS * CALLS_OF_A_PAIR * call_seconds > 1.15 * timeout_seconds);
    struct native_session session;
    open_session(&session);
    const uint64_t ticks = (uint64_t)(call_seconds * session.target->ticks_per_second);
    const struct bench_code code = wait_for_ticks(&session.arena, ticks);
    struct target_round rounds[N_JOBS][N_ROUNDS];
    struct target_job jobs[N_JOBS];
    for (unsigned i = 0; i < N_JOBS; i++)
        jobs[i] = (struct target_job){
            .code = &code,
            .rounds = rounds[i],
            .reference = &session.chains.reference,
            .code_short = 1,
            .code_long = 2,
            .reference_short = 1,
            .reference_long = 2,
            .n_rounds = N_ROUNDS,
            .timeout_seconds = timeout_seconds,
        };
    enum bench_outcome outcome = BENCH_TIMEOUT;
    for (unsigned i = 0; i < 3 && outcome == BENCH_TIMEOUT; i++)
        assert_true(session.target->ops->run(session.target, jobs, N_JOBS, &outcome, &session.fail));
    assert_int_equal(outcome, BENCH_OK);
    for (unsigned i = 0; i < N_JOBS; i++)
        assert_int_equal(jobs[i].n_done, N_ROUNDS);
    assert_no_children();
    arena_free(&session.arena);
}

// Code without an end runs through the rest of its page (zeros: add [rax], al) into the guard page or a bad address.
static void running_off_the_end_is_a_fault(void **state) {
    (void)state;
    struct native_session session;
    open_session(&session);
    struct bench_code code = plain((struct piece)PIECE(past_the_end));
    unsigned n_done;
    assert_int_equal(run(&session, &code, 10, &n_done), BENCH_SIGSEGV);
    arena_free(&session.arena);
}

static void a_cpu_that_is_not_there(void **state) {
    (void)state;
    struct native_session session;
    open_session(&session);
    struct target *target = target_native_open(&session.arena, 1000, &nothing, &session.fail);
    struct target_round round;
    const struct bench_code *reference = &session.chains.reference;
    struct target_job job = {
        .rounds = &round,
        .code = reference,
        .reference = reference,
        .code_short = 1,
        .code_long = 2,
        .reference_short = 1,
        .reference_long = 2,
        .n_rounds = 1,
        .timeout_seconds = 10,
    };
    enum bench_outcome outcome;
    assert_false(target->ops->run(target, &job, 1, &outcome, &session.fail));
    assert_int_equal(session.fail.status, FAIL_UNAVAILABLE);
    assert_non_null(strstr(session.fail.text, "CPU 1000"));
    assert_no_children();
    arena_free(&session.arena);
}

static int wait_forever(struct sandbox *sandbox, void *context) {
    (void)sandbox, (void)context;
    while (pause() < 0)
        continue;
    return 0;
}

// When the measuring program is killed, the child goes with it.
static void child_dies_with_its_parent(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0); // its write end closes when the last process that holds it is gone
    pid_t middle = fork();
    if (middle == 0) {
        struct fail fail = {0};
        enum bench_outcome outcome;
        int status;
        close(ends[0]);
        alarm(1); // SIGALRM ends the middle process while it waits for its child
        struct sandbox_job job = {.body = wait_forever, .timeout_seconds = 60};
        sandbox_run(&job, &outcome, &status, &fail);
        _exit(0);
    }
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(middle, &status, 0), middle);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
    assert_no_children();
}

static int look_at_limits(struct sandbox *sandbox, void *context) {
    (void)sandbox, (void)context;
    struct sigaction action;
    sigaction(SIGUSR1, NULL, &action);
    return (action.sa_handler == SIG_DFL ? 1 : 0) + (getpgrp() == getpid() ? 2 : 0);
}

static const uint8_t no_code[] = {0};

// Not even from the harness's own code, once the sandbox is closed.
static int write_out(struct sandbox *sandbox, void *context) {
    (void)context;
    struct code_room room = {.region = {no_code, sizeof no_code}, .memory.file = -1};
    return sandbox_seal(sandbox, &room) ? (int)write(STDOUT_FILENO, "x", 1) : 7;
}

static void nothing_is_written_from_inside(void **state) {
    (void)state;
    struct fail fail = {0};
    enum bench_outcome outcome;
    int status;
    struct fault_note note = {0};
    struct sandbox_job job = {.body = write_out, .note = &note, .timeout_seconds = 10};
    assert_true(sandbox_run(&job, &outcome, &status, &fail));
    if (syscall_filter_exists())
        assert_int_equal(outcome, BENCH_SYSCALL);
    else
        assert_int_equal(status, 1); // to /dev/null
    assert_no_children();
}

static void on_signal(int number) {
    (void)number;
}

static void child_is_on_its_own(void **state) {
    (void)state;
    struct fail fail = {0};
    enum bench_outcome outcome;
    int status;
    signal(SIGUSR1, on_signal);
    struct sandbox_job job = {.body = look_at_limits, .timeout_seconds = 10};
    assert_true(sandbox_run(&job, &outcome, &status, &fail));
    assert_int_equal(outcome, BENCH_OK);
    assert_int_equal(status, 1 + 2);
    signal(SIGUSR1, SIG_DFL);
    assert_no_children();
}

static void timer_moves(void **state) {
    (void)state;
    uint64_t start = timer_read();
    double rate = timer_ticks_per_second();
    assert_true(timer_read() > start);
    assert_true(rate > 1e6 && rate < 1e11);
    assert_true(timer_step() >= 1);
}

// Reads of a counter of 24 MHz, 100 MHz and 1 GHz, told in whole ns.
static void step_of_a_rounded_clock(void **state) {
    (void)state;
    const struct {
        double ns, least, most;
    } clocks[] = {{1000 / 24.0, 41, 42}, {10, 10, 10}, {1, 1, 1}, {1e9 / 32768, 30517, 30518}};
    for (size_t c = 0; c < sizeof clocks / sizeof *clocks; c++) {
        uint64_t differences[500];
        for (unsigned i = 0; i < 500; i++) {
            double start = floor(i * 7 * clocks[c].ns), took = 2 + i % 3 + (i % 97 == 0 ? 50 : 0);
            differences[i] = (uint64_t)(floor((i * 7 + took) * clocks[c].ns) - start);
        }
        uint64_t step = timer_step_rounded(differences, 500);
        assert_in_range(step, (uint64_t)clocks[c].least, (uint64_t)clocks[c].most);
    }
    uint64_t still[3] = {0};
    assert_int_equal(timer_step_rounded(still, 3), 1);
}

// Loop counters of 32 bits hold any number of iterations that is chosen, however slow the timer.
static void no_run_is_too_long_for_a_counter(void **state) {
    (void)state;
    struct target_lengths lengths = lengths_for(1e9, 1, 1e12);
    assert_true(lengths.n_long <= UINT32_MAX && lengths.n_long == 8 * lengths.n_short);
    assert_true(lengths_more(1e9, 1, 1e12) == 0);
}

// On any CPU: a chain of multiplies takes a whole number of cycles, in units of a chain of adds; a chain of both
// takes the sum. Tried a few times, because a test run may share this machine with a build.
static void chains_add_up(void **state) {
    (void)state;
    static const uint8_t both[] = {0x48, 0x0f, 0xaf, 0xc1, 0x48, 0x01, 0xc8};
    struct native_session session;
    open_session(&session);
    struct bench_code code = loop(&session.arena, (struct piece)PIECE(both));
    struct bench_options options = {.cpu = -1, .clock = CLOCK_RATIO};
    struct bench_measurement result = {.verdict = MEASURED_UNSTABLE};
    struct bench bench = {0};
    for (unsigned i = 0; i < 5 && (!bench.stable || result.verdict == MEASURED_UNSTABLE); i++) {
        assert_true(bench_open(&bench, &session.arena, session.target, &options, &session.chains, &session.fail));
        assert_true(bench_measure(&bench, &code, &result, 1, NULL, &session.fail));
        assert_int_equal(result.outcome, BENCH_OK);
        assert_no_children();
    }
    if (!bench.stable || result.verdict == MEASURED_UNSTABLE) {
        print_message("cannot measure here: %s\n", result.why);
        arena_free(&session.arena);
        skip();
    }
    double multiply_cycles = bench.cross_check_cycles;
    assert_true(fabs(multiply_cycles - round(multiply_cycles)) < 0.01 * multiply_cycles);
    assert_true(multiply_cycles > 1.9);
    assert_true(fabs(result.cycles - round(multiply_cycles) - 1) < 0.01 * result.cycles);
    assert_non_null(strstr(bench.clock_note, "taken as 1 cycle each"));
    arena_free(&session.arena);
}

// Where perf counts, its cycles agree with the ratio clock; where not, there is a reason.
static void counters_or_a_reason(void **state) {
    (void)state;
    struct native_session session;
    open_session(&session);
    session.target = target_native_open(&session.arena, -1, &(struct target_request){0}, &session.fail);
    assert_non_null(session.target);
    struct bench_options options = {.cpu = -1, .clock = CLOCK_PERF};
    struct bench bench = {0};
    bool is_open = true;
    for (unsigned i = 0; i < 5 && is_open && !bench.stable; i++)
        is_open = bench_open(&bench, &session.arena, session.target, &options, &session.chains, &session.fail);
    assert_int_equal(is_open, session.target->has_counters);
    if (is_open && !bench.stable) {
        print_message("cannot measure here: %s\n", bench.unstable_why);
        arena_free(&session.arena);
        skip();
    }
    if (is_open) {
        assert_true(fabs(bench.cross_check_cycles - round(bench.cross_check_cycles)) < 0.03);
    } else {
        assert_int_equal(session.fail.status, FAIL_UNAVAILABLE);
        assert_true(strlen(session.target->counters_note) > 10);
    }
    arena_free(&session.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_harness_survives_its_own_stack),
        cmocka_unit_test(crashes_have_names),
        cmocka_unit_test(nothing_is_left_for_the_next),
        cmocka_unit_test(short_codes_share_rounds),
        cmocka_unit_test(each_job_has_its_own_time),
        cmocka_unit_test(running_off_the_end_is_a_fault),
        cmocka_unit_test(a_cpu_that_is_not_there),
        cmocka_unit_test(child_dies_with_its_parent),
        cmocka_unit_test(child_is_on_its_own),
        cmocka_unit_test(nothing_is_written_from_inside),
        cmocka_unit_test(timer_moves),
        cmocka_unit_test(step_of_a_rounded_clock),
        cmocka_unit_test(no_run_is_too_long_for_a_counter),
        cmocka_unit_test(chains_add_up),
        cmocka_unit_test(counters_or_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
