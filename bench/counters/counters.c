#include "bench/counters/counters.h"

#include "bench/counters/event_name.h"
#include "bench/host/files.h"
#include "bench/host/priority.h"
#include "bench/sandbox/sandbox.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static const double trial_timeout_seconds = 5;

// Findings of a child on the right CPU, in memory shared with that child.
struct counters_trial {
    int cpu;
    struct perf_group base; // cycles and instructions
    unsigned n_events;
    struct perf_event_attr events[TARGET_MAX_EVENTS];
    // Errors: errno; 0: it works.
    int pin_error, base_error;
    unsigned bad_event; // index of the first event that cannot be counted; n_events: all can
    int event_error;
    unsigned bad_group; // last group whose reads from user space were tried
    int user_error;
    bool is_too_much; // the events need more than TARGET_MAX_GROUPS groups
    unsigned n_groups, group_events[TARGET_MAX_GROUPS];
};

// Opens the group and tests that it counts. Returns 0 or an errno; ENODEV: cycles or instructions stand still.
static int try_group(const struct perf_group *group, bool by_user) {
    struct perf_group_open open;
    uint64_t before[TARGET_MAX_COUNTERS] = {0}, after[TARGET_MAX_COUNTERS] = {0};
    int error = perf_group_start(group, by_user, &open);
    if (error)
        return error;
    error = perf_group_read(&open, before);
    for (volatile unsigned i = 0; i < 1000; i++)
        continue;
    if (!error)
        error = perf_group_read(&open, after);
    if (!error && (after[0] <= before[0] || after[1] <= before[1]))
        error = ENODEV;
    perf_group_close(&open);
    return error;
}

static struct perf_group group_of(const struct counters_trial *trial, unsigned first, unsigned n_events) {
    struct perf_group group = trial->base;
    for (unsigned i = 0; i < n_events; i++)
        group.attributes[group.n++] = trial->events[first + i];
    return group;
}

static void try_each_event(struct counters_trial *trial) {
    for (trial->bad_event = 0; trial->bad_event < trial->n_events; trial->bad_event++) {
        struct perf_group group = group_of(trial, trial->bad_event, 1);
        trial->event_error = try_group(&group, false);
        if (trial->event_error)
            return;
    }
}

// Puts as many events into each group as the hardware takes, by trial: some events count only on some counters, and
// others may hold counters.
static void divide_into_groups(struct counters_trial *trial) {
    enum { MOST = TARGET_MAX_COUNTERS - TARGET_FIXED_COUNTERS };
    unsigned done = 0;
    do {
        if (trial->n_groups == TARGET_MAX_GROUPS) {
            trial->is_too_much = true;
            return;
        }
        unsigned n = 0, left = trial->n_events - done;
        for (; n < left && n < MOST; n++) {
            struct perf_group group = group_of(trial, done, n + 1);
            if (n > 0 && try_group(&group, false) != 0)
                break;
        }
        trial->group_events[trial->n_groups++] = n;
        done += n;
    } while (done < trial->n_events);
}

static void try_user_reads(struct counters_trial *trial) {
    unsigned done = 0;
    for (unsigned i = 0; i < trial->n_groups && !trial->user_error; i++) {
        struct perf_group group = group_of(trial, done, trial->group_events[i]);
        trial->user_error = try_group(&group, true);
        trial->bad_group = i;
        done += trial->group_events[i];
    }
}

static int try_all(struct sandbox *sandbox, void *context) {
    (void)sandbox; // no foreign code runs here
    struct counters_trial *trial = context;
    trial->pin_error = host_pin(trial->cpu) ? 0 : errno;
    if (trial->pin_error)
        return 0;
    trial->base_error = try_group(&trial->base, false);
    if (trial->base_error)
        return 0;
    try_each_event(trial);
    if (trial->bad_event == trial->n_events)
        divide_into_groups(trial);
    if (!trial->is_too_much)
        try_user_reads(trial);
    return 0;
}

// Returns what may hold a missing counter, and how to free it.
static const char *holders(struct arena *arena) {
    double watchdog = 0;
    if (host_number(arena, &watchdog, "/proc/sys/kernel/nmi_watchdog") && watchdog == 1)
        return "the NMI watchdog holds one: 'sysctl kernel.nmi_watchdog=0' frees it";
    return "another profiler holds them: stop it";
}

static const char *explain_base(struct arena *arena, int error) {
    switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this machine shows no hardware cycle counter (usual in a VM without a virtual PMU)";
    case EACCES:
    case EPERM:
        return "the kernel does not let this user count events: set kernel.perf_event_paranoid to 2 or less, or run as "
               "root";
    case ENOSYS:
        return "this kernel has no perf_event_open, or a sandbox hides it";
    case EBUSY:
        return arena_printf(arena, "the hardware counters are taken; %s", holders(arena));
    default:
        return arena_printf(arena, "perf_event_open failed: %s", strerror(error));
    }
}

static bool explain_event(struct arena *arena, const char *name, const struct host_core_pmu *pmu, int error,
                          struct fail *fail) {
    if (error == EBUSY || error == ENODEV)
        return fail_set(fail, FAIL_UNAVAILABLE,
                        "event '%s' never counts together with cycles and instructions: no hardware counter is left "
                        "for it, or it belongs to another kind of core; %s",
                        name, holders(arena));
    return fail_set(fail, FAIL_UNAVAILABLE, "the counters of CPUs like this (%s) cannot count event '%s': %s",
                    pmu->name ? pmu->name : "no core PMU", name, strerror(error));
}

static const char *explain_user(struct arena *arena, int error) {
    double setting;
#if defined(__aarch64__)
    const char *file = "/proc/sys/kernel/perf_user_access", *advice = "set kernel.perf_user_access to 1";
#else
    const char *file = "/sys/bus/event_source/devices/cpu/rdpmc", *advice = "write 1 to it";
#endif
    if (host_number(arena, &setting, "%s", file) && setting == 0)
        return arena_printf(arena, "the kernel forbids programs to read counters (%s is 0): %s", file, advice);
    if (error == EBUSY)
        return "a counter is not on the hardware all the time";
    return "the kernel offers programs no way to read these counters themselves";
}

static void tell(struct arena *arena, const struct counters_trial *trial, const struct target_request *request,
                 struct counters *counters, struct target *target) {
    unsigned done = 0;
    target->has_counters = trial->base_error == 0;
    target->counters_note = trial->base_error ? explain_base(arena, trial->base_error) : NULL;
    target->has_user_reads = target->has_counters && trial->user_error == 0;
    target->user_reads_note = !target->has_counters ? target->counters_note
                              : trial->user_error   ? explain_user(arena, trial->user_error)
                                                    : NULL;
    target->n_groups = counters->n_groups = trial->n_groups;
    for (unsigned i = 0; i < trial->n_groups; i++) {
        struct target_group *group = &target->groups[i];
        counters->groups[i] = group_of(trial, done, trial->group_events[i]);
        group->n_events = trial->group_events[i];
        for (unsigned k = 0; k < group->n_events; k++)
            group->events[k] = request->events[done++];
    }
}

static bool judge(struct arena *arena, const struct counters_trial *trial, const struct target_request *request,
                  const struct host_core_pmu *pmu, struct fail *fail) {
    if (request->n_events == 0)
        return true;
    if (trial->base_error)
        return fail_set(fail, FAIL_UNAVAILABLE, "no events can be counted: %s", explain_base(arena, trial->base_error));
    if (trial->bad_event < trial->n_events)
        return explain_event(arena, request->events[trial->bad_event], pmu, trial->event_error, fail);
    if (trial->is_too_much)
        return fail_set(fail, FAIL_INPUT, "%u events need more than %d groups of counters here: ask for fewer",
                        request->n_events, TARGET_MAX_GROUPS);
    return true;
}

static bool encode(struct arena *arena, const struct target_request *request, const struct host_core_pmu *pmu,
                   struct counters_trial *trial, struct fail *fail) {
    trial->base.n = TARGET_FIXED_COUNTERS;
    event_encode_generic(PERF_COUNT_HW_CPU_CYCLES, pmu, &trial->base.attributes[0]);
    event_encode_generic(PERF_COUNT_HW_INSTRUCTIONS, pmu, &trial->base.attributes[1]);
    if (request->n_events > TARGET_MAX_EVENTS)
        return fail_set(fail, FAIL_INPUT, "%u events are more than the %d that can be counted at once",
                        request->n_events, TARGET_MAX_EVENTS);
    trial->n_events = request->n_events;
    for (unsigned i = 0; i < request->n_events; i++)
        if (!event_encode(arena, request->events[i], pmu, &trial->events[i], fail))
            return false;
    return true;
}

static bool run_trial(struct counters_trial *trial, struct fail *fail) {
    enum bench_outcome outcome;
    int status;
    struct sandbox_job job = {.body = try_all, .context = trial, .timeout_seconds = trial_timeout_seconds};
    if (!sandbox_run(&job, &outcome, &status, fail))
        return false;
    if (outcome != BENCH_OK)
        trial->base_error = ENOSYS;
    return !trial->pin_error || fail_set(fail, FAIL_UNAVAILABLE, "cannot run on CPU %d: %s; choose another", trial->cpu,
                                         strerror(trial->pin_error));
}

bool counters_prepare(struct arena *arena, int cpu, const struct target_request *request, struct counters *counters,
                      struct target *target, struct fail *fail) {
    struct counters_trial *trial = mmap(NULL, sizeof *trial, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (trial == MAP_FAILED)
        return fail_set(fail, FAIL_WORK, "no memory to try the counters: %s", strerror(errno));
    struct host_core_pmu pmu;
    host_core_pmu(arena, cpu, &pmu);
    *trial = (struct counters_trial){.cpu = cpu};
    bool is_done = encode(arena, request, &pmu, trial, fail) && run_trial(trial, fail);
    if (is_done) {
        tell(arena, trial, request, counters, target);
        is_done = judge(arena, trial, request, &pmu, fail);
    }
    munmap(trial, sizeof *trial);
    return is_done;
}
