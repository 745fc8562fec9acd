#include "bench/counters.h"

#include "bench/host_files.h"
#include "bench/pfm.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const event_names[COUNTERS_N] = {"cycles", "instructions"};

// What read() of a group gives: see perf_event_open(2), PERF_FORMAT_GROUP.
struct group_values {
    uint64_t count, time_enabled, time_running;
    uint64_t values[COUNTERS_N];
};

static int encode(const struct pfm *pfm, const char *name, struct perf_event_attr *attributes) {
    pfm_perf_encode_arg_t argument = {.attr = attributes, .size = sizeof argument};
    memset(attributes, 0, sizeof *attributes);
    attributes->size = sizeof *attributes;
    return pfm->get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
}

// With more than one kind of core, a generic event counts on one kind only, unless the PMU's number stands in the
// upper half of the event (perf_event_open(2), PERF_TYPE_HARDWARE).
static void choose_pmu(struct perf_event_attr *attributes, unsigned long pmu_type) {
    if (pmu_type && attributes->type == PERF_TYPE_HARDWARE)
        attributes->config |= (uint64_t)pmu_type << 32;
}

int counters_open(struct counters *counters) {
    for (unsigned i = 0; i < COUNTERS_N; i++) {
        struct perf_event_attr *attributes = &counters->attributes[i];
        int leader = i == 0 ? -1 : counters->fds[0];
        counters->fds[i] = (int)syscall(SYS_perf_event_open, attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
        if (counters->fds[i] >= 0)
            continue;
        int error = errno;
        while (i-- > 0)
            close(counters->fds[i]);
        return error;
    }
    ioctl(counters->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    return 0;
}

void counters_close(struct counters *counters) {
    for (unsigned i = 0; i < COUNTERS_N; i++)
        close(counters->fds[i]);
}

// A pinned group that does not get its counters goes to an error state, in which read() gives 0 bytes.
int counters_read(const struct counters *counters, uint64_t values[TARGET_MAX_COUNTERS]) {
    struct group_values group;
    if (read(counters->fds[0], &group, sizeof group) != (ssize_t)sizeof group)
        return EBUSY;
    if (group.time_enabled != group.time_running)
        return EBUSY;
    memcpy(values, group.values, sizeof group.values);
    return 0;
}

static const char *explain(struct arena *arena, int error) {
    switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this machine shows no hardware cycle counter (usual in a VM without a virtual PMU)";
    case EACCES:
    case EPERM:
        return "the kernel does not let this user count: set kernel.perf_event_paranoid to 2 or less, or be root";
    case ENOSYS:
        return "this kernel has no perf_event_open, or a sandbox hides it";
    case EBUSY:
        return "others hold the counters (the NMI watchdog, another profiler): stop them";
    default:
        return arena_printf(arena, "perf_event_open failed: %s", strerror(error));
    }
}

// The group exists, but does it count?
static int try_counting(const struct counters *counters) {
    uint64_t before[TARGET_MAX_COUNTERS] = {0}, after[TARGET_MAX_COUNTERS] = {0};
    int error = counters_read(counters, before);
    for (volatile unsigned i = 0; i < 1000; i++)
        continue;
    if (!error)
        error = counters_read(counters, after);
    if (!error && (after[0] <= before[0] || after[1] <= before[1]))
        error = ENODEV;
    return error;
}

bool counters_prepare(struct arena *arena, int cpu, struct counters *counters, const char **note) {
    struct pfm pfm;
    const char *why;
    if (!pfm_load(&pfm, &why)) {
        *note = arena_printf(arena, "libpfm4 cannot be used: %s", why);
        return false;
    }
    int status = PFM_SUCCESS;
    unsigned long pmu_type = host_pmu_type(arena, cpu);
    for (unsigned i = 0; i < COUNTERS_N && status == PFM_SUCCESS; i++) {
        struct perf_event_attr *attributes = &counters->attributes[i];
        status = encode(&pfm, event_names[i], attributes);
        choose_pmu(attributes, pmu_type);
        attributes->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        attributes->exclude_kernel = 1;
        attributes->exclude_hv = 1;
        attributes->pinned = i == 0;
        attributes->disabled = i == 0;
    }
    if (status != PFM_SUCCESS) {
        *note = arena_printf(arena, "libpfm4 does not know this machine's counters: %s", pfm.strerror(status));
        return false;
    }
    int error = counters_open(counters);
    if (!error) {
        error = try_counting(counters);
        counters_close(counters);
    }
    *note = error ? explain(arena, error) : NULL;
    return !error;
}
