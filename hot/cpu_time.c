#include "hot/cpu_time.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const double nanosecond = 1e-9;

void cpu_time_open(struct cpu_time *time, pid_t pid, enum cpu_time_start start) {
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .disabled = start == CPU_TIME_FROM_PROGRAM,
        .enable_on_exec = start == CPU_TIME_FROM_PROGRAM,
        .inherit = 1,
        .exclude_kernel = 1, // else only root may have it; the time in the kernel counts all the same
        .exclude_hv = 1,
    };
    *time = (struct cpu_time){.pid = pid,
                              .event = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC)};
}

// That of children which have ended, s.
static double read_children(pid_t pid) {
    char path[64], line[1024] = "";
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file && !fgets(line, sizeof line, file))
        *line = '\0';
    if (file)
        fclose(file);
    const char *end = strrchr(line, ')'); // of its name
    if (!end || sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        return 0;
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

double cpu_time_read(struct cpu_time *time) {
    uint64_t count;
    clockid_t clock;
    struct timespec own;
    double seconds = 0;
    if (time->event >= 0 && read(time->event, &count, sizeof count) == sizeof count)
        seconds = (double)count * nanosecond;
    else if (clock_getcpuclockid(time->pid, &clock) == 0 && clock_gettime(clock, &own) == 0)
        seconds = (double)own.tv_sec + (double)own.tv_nsec * nanosecond + read_children(time->pid);
    time->highest = fmax(time->highest, seconds);
    return time->highest;
}

void cpu_time_close(struct cpu_time *time) {
    if (time->event >= 0)
        close(time->event);
    time->event = -1;
}

void cpu_course_note(struct cpu_course *course, double time, double cpu) {
    *ARENA_ADD(course->arena, course->points, course->n) = (struct cpu_point){time, cpu};
}

double cpu_course_at(const struct cpu_course *course, double time) {
    size_t first = 0, end = course->n; // those before `first` are not behind the time
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (course->points[middle].time <= time)
            first = middle + 1;
        else
            end = middle;
    }
    if (!course->n)
        return 0;
    if (!first || first == course->n)
        return course->points[first ? first - 1 : 0].cpu;
    const struct cpu_point *before = &course->points[first - 1], *behind = before + 1;
    return before->cpu + (behind->cpu - before->cpu) * (time - before->time) / (behind->time - before->time);
}
