#include "bench/host/tuning.h"

#include "bench/host/files.h"
#include "bench/host/load.h"

#include <math.h>
#include <sys/mman.h>
#include <time.h>

// Time between two readings of the load: a few of the kernel's steps of 10 ms.
enum { LOOK_NS = 100000000 };

static void read_load(struct arena *arena, const struct host *host, struct host_tuning *tuning) {
    struct host_load before = {.arena = arena}, now = {.arena = arena};
    struct host_work work;
    double uptime;
    if (host_root_is_real()) {
        host_load_read(&before);
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    }
    host_load_read(&now);
    tuning->busy = host_load_busy(&before, &now, host->cpu);
    tuning->siblings_busy = host->n_siblings ? 0 : -1;
    for (unsigned i = 0; i < host->n_siblings; i++)
        tuning->siblings_busy += fmax(0, host_load_busy(&before, &now, host->siblings[i]));
    bool is_known = now.interrupts && host_number(arena, &uptime, "/proc/uptime") && uptime > 0 &&
                    host_load_work(&now, host->cpu, &work);
    tuning->interrupts_per_second = is_known ? work.interrupts / uptime : -1;
}

static int read_switch(struct arena *arena, const char *path) {
    double value;
    return host_number(arena, &value, "%s", path) ? value != 0 : -1;
}

// x86 has a file for each PMU (0: nobody may read; 1: a process that maps an event; 2: all), Arm has a sysctl. Sources:
// Linux, arch/x86/events/core.c, Documentation/admin-guide/sysctl/kernel.rst.
static void read_user_reads(struct arena *arena, const struct host *host, struct host_tuning *tuning) {
    static const char sysctl[] = "/proc/sys/kernel/perf_user_access";
    tuning->user_reads = -1;
    struct host_core_pmu pmu;
    if (host_core_pmu(arena, host->cpu, &pmu)) {
        const char *path = arena_printf(arena, "/sys/bus/event_source/devices/%s/rdpmc", pmu.name);
        tuning->user_reads = read_switch(arena, path);
        tuning->user_reads_file = path;
    }
    if (tuning->user_reads < 0) {
        tuning->user_reads = read_switch(arena, sysctl);
        tuning->user_reads_file = sysctl;
    }
    if (tuning->user_reads < 0)
        tuning->user_reads_file = NULL;
}

void host_tuning_read(struct arena *arena, const struct host *host, struct host_tuning *tuning) {
    *tuning = (struct host_tuning){
        .isolated = host_line(arena, "/sys/devices/system/cpu/isolated"),
        .clocksource = host_line(arena, "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        .nmi_watchdog = read_switch(arena, "/proc/sys/kernel/nmi_watchdog"),
    };
    tuning->is_isolated = host_list_holds(tuning->isolated, host->cpu);
    read_load(arena, host, tuning);
    read_user_reads(arena, host, tuning);
}
