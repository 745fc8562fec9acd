#include "bench/host/load.h"

#include "base/file.h"
#include "base/text.h"
#include "bench/host/files.h"
#include "bench/host/timer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char *read_below_root(struct arena *arena, const char *path) {
    struct fail ignored = {0};
    char *text;
    return file_read(arena, host_path(arena, "%s", path), &text, NULL, &ignored) ? text : NULL;
}

void host_load_read(struct host_load *load) {
    load->stat = read_below_root(load->arena, "/proc/stat");
    load->interrupts = read_below_root(load->arena, "/proc/interrupts");
}

// "cpu3 user nice system idle iowait irq softirq steal …", in steps of 1 / USER_HZ seconds.
static bool read_times(const char *stat, int cpu, struct host_work *work) {
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N_TIMES };
    double times[N_TIMES] = {0}, per_second = (double)sysconf(_SC_CLK_TCK);
    struct slice rest = {stat, stat ? strlen(stat) : 0}, line;
    int number, length;
    while (slice_next(&rest, '\n', &line)) {
        if (line.length < 4 || !isdigit((unsigned char)line.data[3]) || // "cpu  " is the sum of all
            sscanf(line.data, "cpu%d%n", &number, &length) != 1 || number != cpu)
            continue;
        const char *at = line.data + length;
        int n_read = 0;
        for (int i = 0, n = 0; i < N_TIMES && sscanf(at, " %lf%n", &times[i], &n) == 1; i++, at += n)
            n_read++;
        work->idle_seconds = (times[IDLE] + times[IOWAIT]) / per_second;
        for (int i = 0; i < N_TIMES; i++)
            if (i != IDLE && i != IOWAIT)
                work->busy_seconds += times[i] / per_second;
        return n_read > IDLE;
    }
    return false;
}

// Returns the CPU's column in /proc/interrupts, from 0; -1: it has no column. Only CPUs online have one, named "CPU3".
static int column_of(struct slice titles, int cpu) {
    struct slice title;
    int column = 0;
    while (slice_next(&titles, ' ', &title)) {
        if (title.length < 4)
            continue;
        if (atoi(title.data + 3) == cpu)
            return column;
        column++;
    }
    return -1;
}

// Lines of devices start with a number, the system's own with letters. On Arm the timer has a number, too, and is left
// out by its name.
static double count_of_line(struct slice line, int column) {
    struct slice number;
    if (!slice_next(&line, ':', &number) || !line.data || !isdigit((unsigned char)*slice_trim(number).data) ||
        memmem(line.data, line.length, "timer", 5))
        return 0;
    const char *at = line.data;
    char *end = NULL;
    double count = 0;
    for (int i = 0; i <= column; i++, at = end) {
        count = strtod(at, &end);
        if (end == at)
            return 0;
    }
    return count;
}

static double count_interrupts(const char *text, int cpu) {
    struct slice rest = {text, text ? strlen(text) : 0}, line;
    if (!slice_next(&rest, '\n', &line))
        return 0;
    int column = column_of(line, cpu);
    double sum = 0;
    while (column >= 0 && slice_next(&rest, '\n', &line))
        if (slice_trim(line).length)
            sum += count_of_line(line, column);
    return sum;
}

bool host_load_work(const struct host_load *load, int cpu, struct host_work *work) {
    *work = (struct host_work){0};
    if (!read_times(load->stat, cpu, work))
        return false;
    work->interrupts = count_interrupts(load->interrupts, cpu);
    return true;
}

double host_load_busy(const struct host_load *before, const struct host_load *after, int cpu) {
    struct host_work first, last;
    if (!host_load_work(after, cpu, &last))
        return -1;
    if (!host_load_work(before, cpu, &first) ||
        last.busy_seconds + last.idle_seconds <= first.busy_seconds + first.idle_seconds)
        first = (struct host_work){0};
    double busy = last.busy_seconds - first.busy_seconds, idle = last.idle_seconds - first.idle_seconds;
    return busy + idle > 0 ? busy / (busy + idle) : -1;
}

static double siblings_busy_seconds(const struct host_watch *watch) {
    struct arena arena = {0};
    struct host_load load = {.arena = &arena};
    load.stat = read_below_root(&arena, "/proc/stat");
    double sum = 0;
    struct host_work work;
    for (unsigned i = 0; i < watch->n_siblings; i++)
        if (host_load_work(&load, watch->siblings[i], &work))
            sum += work.busy_seconds;
    arena_free(&arena);
    return sum;
}

static double own_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

// Reads the siblings from a list such as "2,8" or "2-3", which includes the CPU itself.
static void find_siblings(struct host_watch *watch, int cpu) {
    struct arena arena = {0};
    const char *list = host_line(&arena, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    const char *online = host_line(&arena, "/sys/devices/system/cpu/online");
    const char *last = online ? online + strlen(online) : NULL;
    while (last && last > online && isdigit((unsigned char)last[-1]))
        last--;
    for (int other = 0, n = last ? atoi(last) : -1; list && other <= n && watch->n_siblings < HOST_MAX_SIBLINGS;
         other++)
        if (other != cpu && host_list_holds(list, other))
            watch->siblings[watch->n_siblings++] = other;
    arena_free(&arena);
}

void host_watch_start(struct host_watch *watch, int cpu) {
    *watch = (struct host_watch){.since_seconds = timer_seconds(), .own_seconds = own_seconds()};
    find_siblings(watch, cpu);
    if (watch->n_siblings)
        watch->busy_seconds = siblings_busy_seconds(watch);
}

double host_watch_busy(struct host_watch *watch) {
    double now = timer_seconds(), passed = now - watch->since_seconds;
    if (!watch->n_siblings || passed < HOST_WATCH_SECONDS)
        return -1;
    double busy = siblings_busy_seconds(watch), own = own_seconds();
    double share = (busy - watch->busy_seconds - (own - watch->own_seconds)) / passed;
    watch->since_seconds = now;
    watch->busy_seconds = busy;
    watch->own_seconds = own;
    return fmin(fmax(share, 0), 1);
}
