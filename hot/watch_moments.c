#include "hot/watch_moments.h"

#include "bench/host/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)

// That the program is held up by copies and their page faults, beyond each loop's first one.
static const double most_copying = 0.12;

// ---- the program's time

// Time by the clock of the requests.
double watch_clock(struct watch *watch) {
    return watch->captures[0].clock == HOT_CPU_CLOCK ? cpu_time_read(&watch->cpu_time) : timer_seconds() - watch->start;
}

// Page faults that it has had and the profiled run had not, when that had run for so long.
double watch_faults_ahead(const struct watch *watch, double seconds) {
    return cpu_time_faults(&watch->cpu_time) - course_at(watch->captures[0].faults, seconds);
}

// Seconds that the program has run, without what its copies cost it.
double watch_time(struct watch *watch) {
    double seconds = watch_clock(watch) - watch->held_seconds;
    if (watch->n_copied && watch->captures[0].seconds_of_fault > 0) {
        const double ahead = watch_faults_ahead(watch, seconds - watch->fault_seconds) - watch->faults_ahead;
        watch->fault_seconds = fmax(0, ahead) * watch->captures[0].seconds_of_fault;
    }
    seconds = fmax(watch->seen, seconds - watch->fault_seconds);
    watch->is_at_rest = seconds <= watch->seen;
    watch->seen = seconds;
    watch->seen_at = timer_seconds();
    return seconds;
}

// ---- the moments

// Time from which on a loop is copied at the next hit.
double watch_due(const struct watch *watch, size_t i) {
    const struct hot_capture *capture = &watch->captures[i];
    const size_t n_over = watch->loops[i].n_over;
    return n_over < capture->n_moments ? capture->moments[n_over] : 0;
}

void watch_finish(struct watch *watch, size_t i, const char *why) {
    struct watched *loop = &watch->loops[i];
    loop->is_done = true;
    loop->why = loop->n_copies ? NULL : why;
    watch->n_left--;
}

// Bytes of memory that the process has of its own, and that the system has left.
static double own_bytes(const struct watch *watch, const struct tracer *tracer) {
    static const double page = 4096;
    unsigned long resident = 0, shared = 0;
    FILE *file = fopen(arena_printf(watch->arena, "/proc/%d/statm", (int)tracer->pid), "r");
    if (file && fscanf(file, "%*u %lu %lu", &resident, &shared) != 2)
        resident = shared = 0;
    if (file)
        fclose(file);
    return page * (double)(resident - shared);
}

static double free_bytes(void) {
    static const char name[] = "MemAvailable:";
    static const double kibibyte = 1024;
    char line[128];
    double bytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, sizeof name - 1) == 0)
            bytes = kibibyte * strtod(line + sizeof name - 1, NULL);
    if (file)
        fclose(file);
    return bytes;
}

// Whether one more copy of a process leaves half of the memory that is free, if the program writes to all that it has.
static bool has_room(const struct watch *watch, const struct tracer *tracer) {
    size_t n = 1;
    for (size_t i = 0; i < watch->n; i++)
        for (size_t k = 0; k < watch->loops[i].n_copies; k++)
            n += watch->loops[i].copies[k].has_copy;
    return (double)n * own_bytes(watch, tracer) <= free_bytes() / 2;
}

// Moments of all loops.
double watch_n_to_come(const struct watch *watch) {
    double n = 0;
    for (size_t i = 0; i < watch->n; i++)
        if (!watch->loops[i].is_done && watch->loops[i].n_over < watch->captures[i].n_moments)
            n += (double)(watch->captures[i].n_moments - watch->loops[i].n_over);
    return n;
}

// After a copy: the moments that are over by now, and whether another one is to come. Where all of them would cost the
// program too much, those between the first and the last one are left out.
void watch_move_on(struct watch *watch, size_t i, const struct tracer *tracer) {
    struct watched *loop = &watch->loops[i];
    const struct hot_capture *capture = &watch->captures[i];
    const double now = watch_time(watch);
    do
        loop->n_over++;
    while (loop->n_over < capture->n_moments && capture->moments[loop->n_over] <= now);
    const double spent = watch->copying_seconds + watch->fault_seconds;
    const bool is_copied = tracer->kin != TRACER_FOREIGN;
    if (is_copied && loop->n_over + 1 < capture->n_moments &&
        spent * (1 + watch_n_to_come(watch) / (double)(watch->n_copied + 1)) > most_copying)
        loop->n_over = capture->n_moments - 1;
    if (loop->n_over >= capture->n_moments || loop->n_copies == HOT_MOST_MOMENTS ||
        (is_copied && (spent > most_copying || !has_room(watch, tracer))))
        watch_finish(watch, i, loop->why);
}

// That a loop is waited for behind its last moment.
static double find_timeout(const struct watch *watch) {
    static const double usual = 10;
    double seconds = 0;
    for (size_t i = 0; i < watch->n; i++)
        seconds = fmax(seconds, watch->captures[i].timeout_seconds > 0 ? watch->captures[i].timeout_seconds : usual);
    return seconds;
}

double watch_last_look(const struct watch *watch) {
    double seconds = watch->captures[0].run_seconds;
    for (size_t i = 0; i < watch->n; i++)
        if (watch->captures[i].n_moments)
            seconds = fmax(seconds, watch->captures[i].moments[watch->captures[i].n_moments - 1]);
    return seconds + find_timeout(watch);
}

// CPUs that the program may have at once.
static double most_cpus(const struct watch *watch) {
    size_t n = 0;
    for (size_t p = 0; p < watch->n_processes; p++)
        n += watch->processes[p]->tracer.n_threads;
    return fmax(1, fmin((double)n, (double)sysconf(_SC_NPROCESSORS_ONLN)));
}

// Time at which a moment may have come, by timer_seconds. The CPU time of a program that waits does not go on.
double watch_next_moment(const struct watch *watch) {
    static const double least = 1e-4, at_rest = 2e-3;
    double left = INFINITY;
    for (size_t i = 0; i < watch->n; i++)
        if (!watch->loops[i].is_done && watch_due(watch, i) > watch->seen)
            left = fmin(left, watch_due(watch, i) - watch->seen);
    if (watch->captures[0].clock == HOT_CPU_CLOCK)
        left = fmax(left / most_cpus(watch), watch->is_at_rest ? at_rest : least);
    return watch->seen_at + left;
}

#endif
