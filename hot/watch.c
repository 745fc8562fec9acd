#include "hot/watch.h"

#include "bench/host/timer.h"
#include "hot/memory_map.h"
#include "hot/record_steps.h"
#include "hot/tracer_copy.h"
#include "hot/tracer_start.h"
#include "hot/watch_moments.h"

#include <elf.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)

enum { MOST_PROCESSES = 32, MOST_FOLLOWED = 256 }; // at once; in all

static const double most_step_seconds = 0.25;   // that the program is held up by all steps
static const double least_step_seconds = 0.005; // of one copy, also where others took more
static const double most_seconds_of_copy = 1;   // that the steps of one copy take, where the program goes on meanwhile
static const double most_skipping = 0.03;       // that the program is held up by hits that are skipped
static const double seconds_between_looks = 0.02; // for libraries that are loaded late
static const double seconds_of_hit = 3e-4;        // that a stop costs besides

// ---- where

// Finds the heads of the loops whose modules are there.
static void find_places(struct watch *watch, struct watched_process *process) {
    struct memory_map map;
    if (!memory_map_read(watch->arena, process->tracer.pid, &map))
        return;
    for (size_t i = 0; i < watch->n; i++) {
        struct watched_place *place = &process->places[i];
        const struct hot_capture *capture = &watch->captures[i];
        if (watch->loops[i].is_done || place->is_known ||
            !memory_map_load_address(&map, capture->module->path, &place->load_address))
            continue;
        place->head = place->load_address + (capture->head ? capture->head : capture->loop->head);
        place->is_known = watch->loops[i].was_known = true;
    }
}

static bool are_all_known(const struct watch *watch, const struct watched_process *process) {
    for (size_t i = 0; i < watch->n; i++)
        if (!watch->loops[i].is_done && !process->places[i].is_known)
            return false;
    return true;
}

static bool is_armed_late(const struct watch *watch, const struct watched_process *process, size_t i, double now) {
    return !watch->loops[i].is_done && process->places[i].is_known && !process->places[i].is_armed &&
           watch_due(watch, i) <= now;
}

static bool needs_arming(const struct watch *watch, const struct watched_process *process, double now) {
    for (size_t i = 0; i < watch->n; i++)
        if (is_armed_late(watch, process, i, now))
            return true;
    return false;
}

// Puts the breakpoints of the loops that are due into a process whose threads are stopped.
static void arm(struct watch *watch, struct watched_process *process, double now) {
    for (size_t i = 0; i < watch->n; i++) {
        struct watched_place *place = &process->places[i];
        if (!is_armed_late(watch, process, i, now))
            continue;
        place->is_armed = true;
        if (!tracer_break_at(&process->tracer, place->head))
            watch_finish(watch, i, "its code is not in the program's memory");
    }
}

// Address of the program's first instruction; 0: unknown.
static uint64_t find_entry(const struct watch *watch, const struct watched_process *process) {
    Elf64_auxv_t item;
    uint64_t entry = 0;
    FILE *file = fopen(arena_printf(watch->arena, "/proc/%d/auxv", (int)process->tracer.pid), "rb");
    while (file && !entry && fread(&item, sizeof item, 1, file) == 1)
        if (item.a_type == AT_ENTRY)
            entry = item.a_un.a_val;
    if (file)
        fclose(file);
    return entry;
}

// Another program begins in the process: its libraries come until its first instruction.
static void begin_program(struct watch *watch, struct watched_process *process) {
    memset(process->places, 0, watch->n * sizeof *process->places);
    find_places(watch, process);
    arm(watch, process, watch_time(watch));
    process->entry = are_all_known(watch, process) ? 0 : find_entry(watch, process);
    if (process->entry && !tracer_break_at(&process->tracer, process->entry))
        process->entry = 0;
}

static bool is_waited_for(const struct watch *watch, const struct watched_process *process, uint64_t address) {
    for (size_t i = 0; i < watch->n; i++)
        if (!watch->loops[i].is_done && process->places[i].is_armed && process->places[i].head == address)
            return true;
    return false;
}

static void reach_entry(struct watch *watch, struct watched_process *process, struct tracer_thread *thread) {
    uint64_t entry = process->entry;
    process->entry = 0;
    find_places(watch, process);
    arm(watch, process, watch_time(watch));
    if (is_waited_for(watch, process, entry))
        tracer_step_over(&process->tracer, thread);
    else
        tracer_drop_breakpoint(&process->tracer, entry);
}

static struct watched_process *add_process(struct watch *watch) {
    struct watched_process *process = ARENA_NEW(watch->arena, struct watched_process);
    process->places = ARENA_ARRAY(watch->arena, struct watched_place, watch->n + 1);
    *ARENA_ADD(watch->arena, watch->processes, watch->n_processes) = process;
    watch->n_followed++;
    return process;
}

static void remove_process(struct watch *watch, size_t at) {
    watch->n_processes--;
    memmove(&watch->processes[at], &watch->processes[at + 1], (watch->n_processes - at) * sizeof *watch->processes);
}

// A child of the program may come to the loops, too. Of very many, the later ones are left alone.
static void take_child(struct watch *watch, struct watched_process *parent) {
    if (watch->n_processes >= MOST_PROCESSES || watch->n_followed >= MOST_FOLLOWED ||
        watch->processes[0]->tracer.kin == TRACER_FOREIGN) {
        tracer_release(&parent->tracer);
        return;
    }
    struct watched_process *child = add_process(watch);
    if (!tracer_adopt(&parent->tracer, &child->tracer)) {
        watch->n_processes--;
    } else if (parent->tracer.child_has_program) {
        begin_program(watch, child);
    } else {
        for (size_t i = 0; i < watch->n; i++) {
            child->places[i] = parent->places[i];
            child->places[i].is_armed = false;
        }
        arm(watch, child, watch_time(watch));
    }
}

// ---- copies

// Steps through a loop. Without a copy, through the program itself.
static void record(struct watch *watch, size_t i, struct watched_copy *copy, struct tracer *tracer,
                   struct tracer_thread *thread, double seconds) {
    const char *why = record_steps(watch->arena, watch->decoder, tracer, thread, &watch->captures[i], copy->has_copy,
                                   seconds, copy->state);
    if (!why)
        return;
    watch->loops[i].why = why;
    copy->state = NULL;
}

static struct hot_state *begin_state(struct watch *watch, size_t i, const struct watched_place *place) {
    const struct hot_capture *request = &watch->captures[i];
    struct hot_state *state = ARENA_NEW(watch->arena, struct hot_state);
    state->program = request->argv ? request->argv[0] : arena_printf(watch->arena, "process %d", request->pid);
    state->module = *request->module;
    state->load_address = place->load_address;
    state->head = place->head;
    state->seconds = watch_time(watch);
    state->clock = request->clock;
    return state;
}

// A copy of the program is stepped through when the program runs alone. Without one, the program itself is.
static void take_copy(struct watch *watch, struct watched_process *process, size_t i, struct tracer_thread *thread) {
    struct watched *loop = &watch->loops[i];
    struct tracer *tracer = &process->tracer;
    const double begin = timer_seconds(), held = watch_clock(watch);
    pid_t tid = thread->tid;
    struct hot_state *state = begin_state(watch, i, &process->places[i]);
    bool is_quiet = tracer_quiet(tracer);
    thread = tracer_find_thread(tracer, tid);
    for (size_t k = 0; k < watch->n_processes; k++)
        watch->processes[k]->places[i].is_armed = false;
    if (!is_quiet || !thread) {
        watch_finish(watch, i, is_quiet ? "its thread has ended" : "the program's other threads do not stop");
        return;
    }
    struct watched_copy *copy = &loop->copies[loop->n_copies++];
    *copy = (struct watched_copy){.state = state};
    if (!watch->n_copied && watch->captures[i].faults)
        watch->faults_ahead = watch_faults_ahead(watch, state->seconds);
    copy->has_copy = tracer_copy(tracer, thread, &copy->copy);
    watch->n_copied += copy->has_copy;
    if (!copy->has_copy) {
        const double start = timer_seconds();
        record(watch, i, copy, tracer, thread,
               fmax(least_step_seconds, watch->step_seconds / fmax((double)watch->n_left, watch_n_to_come(watch))));
        watch->step_seconds -= timer_seconds() - start;
        if (tracer->kin != TRACER_FOREIGN)
            loop->n_over = watch->captures[i].n_moments; // the program is held up once
    }
    watch->copying_seconds += timer_seconds() - begin;
    watch->held_seconds += watch_clock(watch) - held;
    loop->n_copies -= !copy->state;
    watch_move_on(watch, i, tracer);
}

// A thread is at a breakpoint.
static void take_hit(struct watch *watch, struct watched_process *process, struct tracer_thread *thread,
                     uint64_t address) {
    if (address == process->entry) {
        reach_entry(watch, process, thread);
        return;
    }
    bool is_skipped = false;
    for (size_t i = 0; i < watch->n; i++) {
        struct watched *loop = &watch->loops[i];
        const struct watched_place *place = &process->places[i];
        if (loop->is_done || !place->is_armed || place->head != address)
            continue;
        loop->hits++;
        if (loop->hits <= watch->captures[i].skipped_hits && watch->skipping_seconds < most_skipping) {
            is_skipped = true;
            continue;
        }
        take_copy(watch, process, i, thread);
        // The thread may have gone on. Where another loop has this head, it waits for the next hit.
        if (!is_waited_for(watch, process, address))
            tracer_drop_breakpoint(&process->tracer, address);
        return;
    }
    const double start = timer_seconds(), held = watch_clock(watch);
    if (is_skipped)
        tracer_step_over(&process->tracer, thread);
    else
        tracer_drop_breakpoint(&process->tracer, address);
    watch->skipping_seconds += timer_seconds() - start + seconds_of_hit;
    watch->held_seconds += watch_clock(watch) - held;
}

// ---- the run

bool watch_begin(struct watch *watch, struct fail *fail) {
    const struct hot_capture *first = &watch->captures[0];
    if (first->argv)
        key_witness_open(&watch->witness);
    watch->loops = ARENA_ARRAY(watch->arena, struct watched, watch->n + 1);
    watch->n_left = watch->n;
    watch->step_seconds = most_step_seconds;
    struct watched_process *process = add_process(watch);
    bool is_begun = first->argv ? tracer_start(&process->tracer, watch->arena, first->argv, fail)
                                : tracer_attach(&process->tracer, watch->arena, first->pid, fail);
    watch->start = timer_seconds();
    if (!is_begun) {
        key_witness_close(&watch->witness);
        return false;
    }
    cpu_time_open(&watch->cpu_time, process->tracer.pid, CPU_TIME_FROM_NOW);
    if (first->argv) {
        begin_program(watch, process);
    } else {
        find_places(watch, process);
        arm(watch, process, watch_time(watch));
    }
    return true;
}

// A library may be loaded at any time.
static void look_for_modules(struct watch *watch) {
    watch->look_for_modules = timer_seconds() + seconds_between_looks;
    for (size_t p = 0; p < watch->n_processes; p++)
        if (!watch->processes[p]->entry && !are_all_known(watch, watch->processes[p]))
            find_places(watch, watch->processes[p]);
}

static void arm_all(struct watch *watch) {
    const double now = watch_time(watch);
    for (size_t p = 0; p < watch->n_processes; p++) {
        struct watched_process *process = watch->processes[p];
        // Where a vforked child runs, its parent does not stop: the next look finds that it does.
        if (needs_arming(watch, process, now) && tracer_quiet(&process->tracer))
            arm(watch, process, now);
    }
}

// Looks at a process. False: nothing has happened.
static bool look(struct watch *watch, size_t at) {
    struct watched_process *process = watch->processes[at];
    struct tracer_thread *thread;
    uint64_t address;
    switch (tracer_look(&process->tracer, &thread)) {
    case TRACER_HIT:
        if (tracer_place(thread, &address))
            take_hit(watch, process, thread, address);
        return true;
    case TRACER_PROGRAM:
        begin_program(watch, process);
        return true;
    case TRACER_CHILD:
        take_child(watch, process);
        return true;
    case TRACER_END:
        if (at) {
            tracer_detach(&process->tracer);
            remove_process(watch, at);
        }
        return true;
    case TRACER_TIME:
        break;
    }
    return false;
}

static void explain_rest(struct watch *watch, double seconds) {
    const bool has_ended = watch->processes[0]->tracer.has_ended;
    for (size_t i = 0; i < watch->n; i++) {
        const struct watched *loop = &watch->loops[i];
        if (loop->is_done)
            continue;
        const char *when =
            has_ended ? "before the program ended" : arena_printf(watch->arena, "within %.3g s", seconds);
        watch_finish(watch, i,
                     !loop->was_known ? arena_printf(watch->arena, "the program has not loaded %s %s",
                                                     watch->captures[i].module->path, when)
                     : loop->hits     ? arena_printf(watch->arena, "it was reached only %llu times %s",
                                                     (unsigned long long)loop->hits, when)
                                      : arena_printf(watch->arena, "it was not reached %s", when));
    }
}

// Whether we are to end: such signals are held back while breakpoints are in the program.
static bool is_ended(void) {
    sigset_t pending;
    return sigpending(&pending) == 0 && (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGHUP) == 1);
}

// Whether a child has not ended yet. It is not taken note of.
static bool is_alive(pid_t pid) {
    siginfo_t end = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && !end.si_pid;
}

// Keys are held back. One that came to us alone is the program's.
static void pass_keys(struct watch *watch) {
    const struct tracer *program = &watch->processes[0]->tracer;
    const struct timespec now = {0};
    sigset_t keys;
    int number;
    sigemptyset(&keys);
    sigaddset(&keys, SIGINT);
    sigaddset(&keys, SIGQUIT);
    while (program->kin == TRACER_OWN && (number = sigtimedwait(&keys, NULL, &now)) > 0)
        if (key_witness_is_alone(&watch->witness, number) && !program->has_ended && is_alive(program->pid))
            kill(program->pid, number);
}

void watch_wait(struct watch *watch) {
    const double seconds = watch_last_look(watch), deadline = timer_seconds() + seconds;
    const struct tracer *program = &watch->processes[0]->tracer;
    for (unsigned n_idle = 0; watch->n_left && !program->has_ended && program->n_threads; n_idle++) {
        for (size_t p = 0; p < watch->n_processes && watch->n_left; p++)
            if (look(watch, p))
                n_idle = 0;
        if (timer_seconds() >= deadline || is_ended())
            break;
        pass_keys(watch);
        const bool is_time_to_look = timer_seconds() >= watch->look_for_modules;
        if (is_time_to_look)
            look_for_modules(watch);
        if (is_time_to_look || !n_idle || timer_seconds() >= watch_next_moment(watch))
            arm_all(watch);
        tracer_sleep(fmin(watch_next_moment(watch), fmin(deadline, watch->look_for_modules)), n_idle);
    }
    explain_rest(watch, seconds);
    for (size_t p = 0; p < watch->n_processes; p++)
        tracer_detach(&watch->processes[p]->tracer);
}

// Waits for the program's end, or a time by timer_seconds.
static void wait_for_end(struct watch *watch, double until) {
    static const double a_while = 0.02;
    const struct tracer *program = &watch->processes[0]->tracer;
    while (program->kin == TRACER_OWN && !program->has_ended && is_alive(program->pid) && timer_seconds() < until) {
        pass_keys(watch);
        tracer_sleep(fmin(until, timer_seconds() + a_while), UINT_MAX);
    }
}

// A server ends by a key. It gets the same one in this run, after the same time; as from a terminal, with its children.
static void press_key(struct watch *watch) {
    const struct hot_capture *first = &watch->captures[0];
    const struct tracer *program = &watch->processes[0]->tracer;
    if (!first->key || !first->argv || program->has_ended)
        return;
    wait_for_end(watch, watch->start + first->run_seconds);
    for (size_t p = watch->n_processes; p-- > 0 && is_alive(program->pid);)
        if (getpgid(watch->processes[p]->tracer.pid) == getpgrp())
            kill(watch->processes[p]->tracer.pid, first->key);
}

void watch_end(struct watch *watch, struct hot_copies *copies, struct hot_run *run) {
    struct tracer *program = &watch->processes[0]->tracer;
    for (size_t i = 0; i < watch->n; i++) {
        struct watched *loop = &watch->loops[i];
        copies[i].n = 0;
        for (size_t k = 0; k < loop->n_copies; k++) {
            struct watched_copy *copy = &loop->copies[k];
            if (copy->has_copy) {
                record(watch, i, copy, &copy->copy, copy->copy.threads, most_seconds_of_copy);
                tracer_end_copy(&copy->copy);
            }
            if (copy->state)
                copies[i].states[copies[i].n++] = copy->state;
        }
        copies[i].why = copies[i].n ? NULL : loop->why;
    }
    press_key(watch);
    wait_for_end(watch, INFINITY);
    tracer_wait_end(program);
    key_witness_close(&watch->witness);
    cpu_time_close(&watch->cpu_time);
    const bool is_of_cpu = watch->captures[0].clock == HOT_CPU_CLOCK;
    run->status = program->end_status;
    run->seconds = cpu_time_seconds(&program->usage.ru_utime);
    run->faults = (double)program->usage.ru_minflt;
    const double fault_seconds =
        fmax(0, run->faults - watch->captures[0].run_faults) * watch->captures[0].seconds_of_fault;
    run->cpu = is_of_cpu && program->has_ended
                   ? cpu_time_of(&program->usage) - watch->held_seconds - (watch->n_copied ? fault_seconds : 0)
                   : 0;
}
#endif
