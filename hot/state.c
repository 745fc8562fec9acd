#include "hot/state.h"

#include "bench/host/timer.h"
#include "hot/memory_map.h"
#include "hot/record_steps.h"
#include "hot/tracer_copy.h"
#include "hot/tracer_start.h"

#include <elf.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

static const double most_seconds = 0.25;      // that the program is held up by all steps
static const double most_seconds_of_copy = 1; // that the steps of one loop take, where the program goes on meanwhile
static const double most_skipping = 0.1;      // that the program is held up by hits that are skipped
static const double seconds_between_looks = 0.02; // for libraries that are loaded late
static const double seconds_of_hit = 3e-4;        // that a stop costs besides

// One run, and the loops that are waited for.
struct run {
    struct arena *arena;
    const struct decoder *decoder;
    struct tracer tracer;
    const struct hot_capture *captures;
    size_t n, n_left;
    struct wait {
        bool is_done, is_placed; // is_placed: its breakpoint is known
        uint64_t head, load_address, hits;
        bool has_copy;
        struct tracer copy; // of the program, when it was at the head
    } * waits;
    struct hot_state **states;
    const char **whys;
    double left_seconds;     // of all steps together
    double skipping_seconds; // so far
    uint64_t entry;          // the program's first instruction, while a breakpoint is there; 0: none is
};

static void finish(struct run *run, size_t i, const char *why) {
    run->waits[i].is_done = true;
    run->whys[i] = why;
    run->n_left--;
}

// Places the breakpoints of the loops whose modules are there.
static void place_breakpoints(struct run *run) {
    struct memory_map map;
    if (!memory_map_read(run->arena, run->tracer.pid, &map))
        return;
    for (size_t i = 0; i < run->n; i++) {
        struct wait *wait = &run->waits[i];
        const struct hot_capture *capture = &run->captures[i];
        if (wait->is_done || wait->is_placed ||
            !memory_map_load_address(&map, capture->module->path, &wait->load_address))
            continue;
        wait->head = wait->load_address + capture->loop->head;
        wait->is_placed = true;
        if (!tracer_break_at(&run->tracer, wait->head))
            finish(run, i, "its code is not in the program's memory");
    }
}

static bool are_all_placed(const struct run *run) {
    for (size_t i = 0; i < run->n; i++)
        if (!run->waits[i].is_done && !run->waits[i].is_placed)
            return false;
    return true;
}

// Address of the program's first instruction; 0: unknown.
static uint64_t find_entry(struct run *run) {
    Elf64_auxv_t item;
    uint64_t entry = 0;
    FILE *file = fopen(arena_printf(run->arena, "/proc/%d/auxv", (int)run->tracer.pid), "rb");
    while (file && !entry && fread(&item, sizeof item, 1, file) == 1)
        if (item.a_type == AT_ENTRY)
            entry = item.a_un.a_val;
    if (file)
        fclose(file);
    return entry;
}

// Another program begins in the process: its libraries come until its first instruction.
static void begin_program(struct run *run) {
    for (size_t i = 0; i < run->n; i++)
        run->waits[i].is_placed = false;
    place_breakpoints(run);
    run->entry = are_all_placed(run) ? 0 : find_entry(run);
    if (run->entry && !tracer_break_at(&run->tracer, run->entry))
        run->entry = 0;
}

// A library may be loaded at any time: looks whether one is there that a loop is in.
static void look_for_modules(struct run *run) {
    struct memory_map map;
    uint64_t address;
    bool is_new = false;
    if (!memory_map_read(run->arena, run->tracer.pid, &map))
        return;
    for (size_t i = 0; i < run->n; i++)
        is_new |= !run->waits[i].is_done && !run->waits[i].is_placed &&
                  memory_map_load_address(&map, run->captures[i].module->path, &address);
    if (!is_new)
        return;
    tracer_quiet(&run->tracer);
    place_breakpoints(run);
}

static void reach_entry(struct run *run, struct tracer_thread *thread) {
    uint64_t entry = run->entry;
    run->entry = 0;
    place_breakpoints(run);
    bool is_head = false;
    for (size_t i = 0; i < run->n; i++)
        is_head |= !run->waits[i].is_done && run->waits[i].is_placed && run->waits[i].head == entry;
    if (!is_head)
        tracer_drop_breakpoint(&run->tracer, entry);
    else
        tracer_step_over(&run->tracer, thread);
}

static struct tracer_thread *thread_of(struct tracer *tracer, pid_t tid) {
    for (size_t i = 0; i < tracer->n_threads; i++)
        if (tracer->threads[i].tid == tid)
            return &tracer->threads[i];
    return NULL;
}

static void record(struct run *run, size_t i, struct tracer *tracer, struct tracer_thread *thread, double seconds) {
    const struct hot_capture *request = &run->captures[i];
    struct hot_state *state = ARENA_NEW(run->arena, struct hot_state);
    state->program =
        run->captures[0].argv ? run->captures[0].argv[0] : arena_printf(run->arena, "process %d", (int)run->tracer.pid);
    state->module = *request->module;
    state->load_address = run->waits[i].load_address;
    state->head = run->waits[i].head;
    const char *why =
        record_steps(run->arena, run->decoder, tracer, thread, request, tracer != &run->tracer, seconds, state);
    run->whys[i] = why;
    run->states[i] = why ? NULL : state;
}

// A copy of the program is stepped through when the program runs alone. Without one, the program itself is.
static void capture(struct run *run, size_t i, struct tracer_thread *thread) {
    struct wait *wait = &run->waits[i];
    pid_t tid = thread->tid;
    bool is_quiet = tracer_quiet(&run->tracer);
    thread = thread_of(&run->tracer, tid);
    if (!is_quiet) {
        finish(run, i, "the program's other threads do not stop");
        return;
    }
    if (!thread) {
        finish(run, i, "its thread has ended");
        return;
    }
    wait->has_copy = tracer_copy(&run->tracer, thread, &wait->copy);
    if (!wait->has_copy) {
        double start = timer_seconds();
        record(run, i, &run->tracer, thread, run->left_seconds / (double)run->n_left);
        run->left_seconds -= timer_seconds() - start;
    }
    finish(run, i, run->whys[i]);
}

static void record_copies(struct run *run) {
    for (size_t i = 0; i < run->n; i++) {
        struct wait *wait = &run->waits[i];
        if (!wait->has_copy)
            continue;
        record(run, i, &wait->copy, wait->copy.threads, most_seconds_of_copy);
        tracer_end_copy(&wait->copy);
    }
}

// A thread is at a breakpoint.
static void take_hit(struct run *run, struct tracer_thread *thread, uint64_t address) {
    if (address == run->entry) {
        reach_entry(run, thread);
        return;
    }
    bool is_waited_for = false;
    for (size_t i = 0; i < run->n; i++) {
        struct wait *wait = &run->waits[i];
        if (wait->is_done || !wait->is_placed || wait->head != address)
            continue;
        bool is_skipped = wait->hits < run->captures[i].skipped_hits && run->skipping_seconds < most_skipping;
        wait->hits++;
        if (is_skipped) {
            is_waited_for = true;
            continue;
        }
        capture(run, i, thread);
        for (size_t j = 0; j < run->n; j++) // of the same head; the thread has gone on
            if (!run->waits[j].is_done && run->waits[j].is_placed && run->waits[j].head == address)
                return;
        tracer_drop_breakpoint(&run->tracer, address);
        return;
    }
    double start = timer_seconds();
    if (is_waited_for)
        tracer_step_over(&run->tracer, thread);
    else
        tracer_drop_breakpoint(&run->tracer, address);
    run->skipping_seconds += timer_seconds() - start + seconds_of_hit;
}

static double find_timeout(const struct run *run) {
    static const double usual = 10;
    double seconds = 0;
    for (size_t i = 0; i < run->n; i++)
        seconds = fmax(seconds, run->captures[i].timeout_seconds > 0 ? run->captures[i].timeout_seconds : usual);
    return seconds;
}

static void wait_for_all(struct run *run) {
    double seconds = find_timeout(run), deadline = timer_seconds() + seconds;
    enum tracer_event event = TRACER_TIME;
    while (run->n_left) {
        struct tracer_thread *thread;
        uint64_t address;
        bool waits_for_module = !run->entry && !are_all_placed(run);
        double next_look = timer_seconds() + seconds_between_looks;
        event = tracer_next(&run->tracer, waits_for_module ? fmin(deadline, next_look) : deadline, &thread);
        if (event == TRACER_HIT && tracer_place(thread, &address))
            take_hit(run, thread, address);
        else if (event == TRACER_PROGRAM)
            begin_program(run);
        else if (event == TRACER_TIME && timer_seconds() < deadline)
            look_for_modules(run);
        else if (event != TRACER_HIT || timer_seconds() >= deadline)
            break;
    }
    for (size_t i = 0; i < run->n; i++) {
        const struct wait *wait = &run->waits[i];
        if (wait->is_done)
            continue;
        const char *when =
            event == TRACER_END ? "before the program ended" : arena_printf(run->arena, "within %.3g s", seconds);
        finish(run, i,
               !wait->is_placed
                   ? arena_printf(run->arena, "the program has not loaded %s %s", run->captures[i].module->path, when)
               : wait->hits
                   ? arena_printf(run->arena, "it was reached only %llu times %s", (unsigned long long)wait->hits, when)
                   : arena_printf(run->arena, "it was not reached %s", when));
    }
}

static double seconds_of(const struct timeval *time) {
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

// Signals that would end us are held back while breakpoints are in a program: it would meet them and die.
static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

static sigset_t hold_back(void) {
    sigset_t all, before;
    sigemptyset(&all);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(&all, ending[i]);
    sigprocmask(SIG_BLOCK, &all, &before);
    return before;
}

// From then on, only the keyboard's are: they are meant for the program that we wait for.
static void let_end(void) {
    sigset_t others;
    sigemptyset(&others);
    sigaddset(&others, SIGTERM);
    sigaddset(&others, SIGHUP);
    sigprocmask(SIG_UNBLOCK, &others, NULL);
}

// `is_own`: the keyboard's ended the program that we had started, and not us.
static void heed_again(const sigset_t *before, bool is_own) {
    sigset_t keys;
    const struct timespec now = {0};
    sigemptyset(&keys);
    sigaddset(&keys, SIGINT);
    sigaddset(&keys, SIGQUIT);
    while (is_own && sigtimedwait(&keys, NULL, &now) > 0)
        ;
    sigprocmask(SIG_SETMASK, before, NULL);
}

bool hot_state_capture(struct arena *arena, const struct decoder *decoder, const struct hot_capture *captures, size_t n,
                       struct hot_state **states, const char **whys, struct hot_run *run_of, struct fail *fail) {
    struct run run = {.arena = arena,
                      .decoder = decoder,
                      .captures = captures,
                      .n = n,
                      .n_left = n,
                      .left_seconds = most_seconds,
                      .waits = ARENA_ARRAY(arena, struct wait, n + 1),
                      .states = states,
                      .whys = whys};
    *run_of = (struct hot_run){.status = 0};
    for (size_t i = 0; i < n; i++) {
        states[i] = NULL;
        whys[i] = NULL;
    }
    if (!n)
        return true;
    const sigset_t before = hold_back();
    bool is_started = captures[0].argv ? tracer_start(&run.tracer, arena, captures[0].argv, fail)
                                       : tracer_attach(&run.tracer, arena, captures[0].pid, fail);
    if (!is_started) {
        heed_again(&before, false);
        return false;
    }
    if (captures[0].argv)
        begin_program(&run);
    else
        place_breakpoints(&run);
    wait_for_all(&run);
    tracer_detach(&run.tracer);
    let_end();
    record_copies(&run);
    tracer_wait_end(&run.tracer);
    heed_again(&before, captures[0].argv != NULL);
    run_of->status = run.tracer.end_status;
    run_of->seconds = seconds_of(&run.tracer.usage.ru_utime);
    return true;
}

#else

bool hot_state_capture(struct arena *arena, const struct decoder *decoder, const struct hot_capture *captures, size_t n,
                       struct hot_state **states, const char **whys, struct hot_run *run, struct fail *fail) {
    (void)arena, (void)decoder, (void)captures, (void)n, (void)states, (void)whys, (void)run;
    return fail_set(fail, FAIL_UNAVAILABLE, "a running program's loops can be copied on x86-64 only");
}
#endif
