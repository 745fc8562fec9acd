#include "hot/cpu_time.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double nanosecond = 1e-9;

static int open_event(pid_t pid, uint64_t event, enum cpu_time_start start) {
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = event,
        .disabled = start == CPU_TIME_FROM_PROGRAM,
        .enable_on_exec = start == CPU_TIME_FROM_PROGRAM,
        .inherit = 1,
        .exclude_kernel = 1, // else only root may have it; the time in the kernel counts all the same
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void cpu_time_open(struct cpu_time *time, pid_t pid, enum cpu_time_start start) {
    *time = (struct cpu_time){.pid = pid,
                              .event = open_event(pid, PERF_COUNT_SW_TASK_CLOCK, start),
                              .faults = open_event(pid, PERF_COUNT_SW_PAGE_FAULTS_MIN, start)};
}

struct process_numbers {
    unsigned long faults, faults_of_children; // that have ended
    double seconds_of_children;
};

static struct process_numbers read_numbers(pid_t pid) {
    struct process_numbers numbers = {0};
    char path[64], line[1024] = "";
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file && !fgets(line, sizeof line, file))
        *line = '\0';
    if (file)
        fclose(file);
    const char *end = strrchr(line, ')'); // of its name
    if (end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %lu %lu %*u %*u %*u %*u %lu %lu", &numbers.faults,
                      &numbers.faults_of_children, &user, &system) == 4)
        numbers.seconds_of_children = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    return numbers;
}

double cpu_time_read(struct cpu_time *time) {
    uint64_t count;
    clockid_t clock;
    struct timespec own;
    double seconds = 0;
    if (time->event >= 0 && read(time->event, &count, sizeof count) == sizeof count)
        seconds = (double)count * nanosecond;
    else if (clock_getcpuclockid(time->pid, &clock) == 0 && clock_gettime(clock, &own) == 0)
        seconds = (double)own.tv_sec + (double)own.tv_nsec * nanosecond + read_numbers(time->pid).seconds_of_children;
    time->highest = fmax(time->highest, seconds);
    return time->highest;
}

double cpu_time_faults(const struct cpu_time *time) {
    uint64_t count;
    if (time->faults >= 0 && read(time->faults, &count, sizeof count) == sizeof count)
        return (double)count;
    const struct process_numbers numbers = read_numbers(time->pid);
    return (double)(numbers.faults + numbers.faults_of_children);
}

void cpu_time_close(struct cpu_time *time) {
    if (time->event >= 0)
        close(time->event);
    if (time->faults >= 0)
        close(time->faults);
    time->event = time->faults = -1;
}

static double own_seconds(void) {
    struct timespec own;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) == 0 ? (double)own.tv_sec + (double)own.tv_nsec * nanosecond
                                                              : 0;
}

double cpu_time_of_shared_page(void) {
    enum { PAGES = 4096, PAGE = 4096 }; // more than the second-level cache holds
    int over[2], status;
    char byte;
    uint8_t *pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 0;
    madvise(pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
    double seconds = 0;
    for (size_t i = 0; i < PAGES; i++)
        *(volatile uint8_t *)&pages[i * PAGE] = 1;
    if (pipe2(over, O_CLOEXEC) == 0) {
        const pid_t child = fork();
        if (child == 0) {
            close(over[1]);
            _exit(read(over[0], &byte, 1) < 0);
        }
        const double begin = own_seconds();
        for (size_t i = 0; i < PAGES; i++)
            *(volatile uint8_t *)&pages[i * PAGE] = 2;
        seconds = child > 0 ? (own_seconds() - begin) / PAGES : 0;
        close(over[0]);
        close(over[1]);
        while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    munmap(pages, (size_t)PAGES * PAGE);
    return seconds;
}
