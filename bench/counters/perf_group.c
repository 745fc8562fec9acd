#include "bench/counters/perf_group.h"

#include "bench/counters/user_read.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Layout of what read(2) returns for a group: perf_event_open(2), PERF_FORMAT_GROUP.
struct group_values {
    uint64_t count, time_enabled, time_running;
    uint64_t values[TARGET_MAX_COUNTERS];
};

// On AArch64 this bit requests a counter that user space may read. Elsewhere that is the default, and the bit belongs
// to the event. Source: Documentation/arch/arm64/perf.rst of Linux.
static void ask_for_user_reads(struct perf_event_attr *attributes) {
#if defined(__aarch64__)
    attributes->config1 |= 2;
#else
    (void)attributes;
#endif
}

static int open_counter(struct perf_event_attr attributes, int leader, bool by_user) {
    if (by_user)
        ask_for_user_reads(&attributes);
    attributes.size = sizeof attributes;
    attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.pinned = attributes.disabled = leader < 0;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static int map_page(int fd, struct perf_event_mmap_page **page) {
    void *map = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    *page = map == MAP_FAILED ? NULL : map;
    return *page ? 0 : errno;
}

static int add_counter(const struct perf_group *group, bool by_user, struct perf_group_open *open) {
    unsigned i = open->n;
    open->fds[i] = open_counter(group->attributes[i], i ? open->fds[0] : -1, by_user);
    if (open->fds[i] < 0)
        return errno;
    int error = by_user ? map_page(open->fds[i], &open->pages[i]) : 0;
    if (error)
        close(open->fds[i]);
    else
        open->n++;
    return error;
}

static int check_user_reads(const struct perf_group_open *open) {
    for (unsigned i = 0; i < open->n; i++)
        if (!user_read_is_possible(open->pages[i]))
            return open->pages[i]->cap_user_rdpmc ? EBUSY : EOPNOTSUPP;
    return 0;
}

int perf_group_start(const struct perf_group *group, bool by_user, struct perf_group_open *open) {
    *open = (struct perf_group_open){0};
    int error = 0;
    while (!error && open->n < group->n)
        error = add_counter(group, by_user, open);
    if (!error && ioctl(open->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0)
        error = errno;
    if (!error && by_user)
        error = check_user_reads(open);
    if (error) {
        unsigned failed = open->n;
        perf_group_close(open);
        open->n = failed;
    }
    return error;
}

void perf_group_close(struct perf_group_open *open) {
    for (unsigned i = open->n; i-- > 0;) {
        if (open->pages[i])
            munmap(open->pages[i], (size_t)sysconf(_SC_PAGESIZE));
        close(open->fds[i]);
    }
    open->n = 0;
}

static int read_by_user(const struct perf_group_open *open, uint64_t values[TARGET_MAX_COUNTERS]) {
    bool is_good = true;
    user_read_wait();
    for (unsigned i = 0; i < open->n; i++)
        is_good &= user_read(open->pages[i], &values[i]);
    user_read_wait();
    return is_good ? 0 : EBUSY;
}

// A pinned group that does not get its counters enters an error state, in which read(2) returns 0 bytes. A group of
// another kind of core never runs.
int perf_group_read(const struct perf_group_open *open, uint64_t values[TARGET_MAX_COUNTERS]) {
    struct group_values group;
    if (open->pages[0])
        return read_by_user(open, values);
    ssize_t size = (ssize_t)(offsetof(struct group_values, values) + open->n * sizeof *values);
    if (read(open->fds[0], &group, (size_t)size) != size)
        return EBUSY;
    if (group.time_enabled != group.time_running || group.time_running == 0)
        return EBUSY;
    memcpy(values, group.values, open->n * sizeof *values);
    return 0;
}
