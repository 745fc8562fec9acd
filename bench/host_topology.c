// Cores, threads and core types, through hwloc; and the choice of the CPU to measure on.
#include "base/file.h"
#include "bench/host_files.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

static bool load(hwloc_topology_t *topology, struct fail *fail) {
    if (hwloc_topology_init(topology) != 0)
        return fail_set(fail, FAIL_WORK, "hwloc cannot start: %s", strerror(errno));
    if (hwloc_topology_load(*topology) == 0)
        return true;
    int error = errno;
    hwloc_topology_destroy(*topology);
    return fail_set(fail, FAIL_WORK, "hwloc cannot read this machine's topology: %s", strerror(error));
}

// Logical CPUs this process may use.
static hwloc_bitmap_t usable_cpus(hwloc_topology_t topology) {
    hwloc_bitmap_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    if (hwloc_topology_is_thissystem(topology) && hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_bitmap_intersects(usable, bound))
        hwloc_bitmap_and(usable, usable, bound);
    hwloc_bitmap_free(bound);
    return usable;
}

// The CPUs that share a core with `cpu`; to be released.
static hwloc_bitmap_t core_of(hwloc_topology_t topology, int cpu) {
    hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    hwloc_obj_t core = unit ? hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit) : NULL;
    if (!core)
        core = unit;
    return core ? hwloc_bitmap_dup(core->cpuset) : hwloc_bitmap_alloc();
}

// Time that the CPUs of `set` have been busy since the machine started, from /proc/stat: see proc(5).
static double busy_time(struct arena *arena, const char *stat, hwloc_const_bitmap_t set) {
    double busy = 0;
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
        const char *line = stat ? strstr(stat, arena_printf(arena, "\ncpu%d ", cpu)) : NULL;
        double user = 0, nice = 0, system = 0, idle, wait, interrupts = 0, soft_interrupts = 0;
        if (line && sscanf(line, " %*s %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &wait, &interrupts,
                           &soft_interrupts) == 7)
            busy += user + nice + system + interrupts + soft_interrupts;
    }
    return busy;
}

static int core_kind(hwloc_topology_t topology, int cpu) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_only(set, (unsigned)cpu);
    int kind = hwloc_cpukinds_get_by_cpuset(topology, set, 0);
    hwloc_bitmap_free(set);
    return kind;
}

enum { N_MERITS = 4 };

// What speaks for a CPU, most important first: nobody else is scheduled on it; it is of the fastest kind (hwloc
// orders kinds by that); it does not share a core with CPU 0, which gets most of the system's own work; its core
// has had the least to do.
static void judge_cpu(struct arena *arena, hwloc_topology_t topology, const char *stat, int cpu,
                      double merits[N_MERITS]) {
    hwloc_bitmap_t core = core_of(topology, cpu);
    merits[0] = host_list_holds(host_line(arena, "/sys/devices/system/cpu/isolated"), cpu);
    merits[1] = core_kind(topology, cpu);
    merits[2] = !hwloc_bitmap_isset(core, 0);
    merits[3] = -busy_time(arena, stat, core);
    hwloc_bitmap_free(core);
}

static bool is_better(const double a[N_MERITS], const double b[N_MERITS]) {
    for (unsigned i = 0; i < N_MERITS; i++)
        if (a[i] != b[i])
            return a[i] > b[i];
    return false;
}

static int quiet_cpu(struct arena *arena, hwloc_topology_t topology, hwloc_const_bitmap_t usable) {
    struct fail ignored = {0};
    char *stat = NULL;
    if (!file_read(arena, host_path(arena, "/proc/stat"), &stat, NULL, &ignored))
        stat = NULL;
    int best = -1;
    double best_merits[N_MERITS] = {0}, merits[N_MERITS];
    for (int cpu = hwloc_bitmap_first(usable); cpu >= 0; cpu = hwloc_bitmap_next(usable, cpu)) {
        judge_cpu(arena, topology, stat, cpu, merits);
        if (best < 0 || is_better(merits, best_merits)) {
            best = cpu;
            memcpy(best_merits, merits, sizeof merits);
        }
    }
    return best;
}

static bool choose(struct arena *arena, hwloc_topology_t topology, int wanted, int *cpu, struct fail *fail) {
    hwloc_bitmap_t usable = usable_cpus(topology);
    bool is_found = true;
    if (wanted < 0)
        *cpu = quiet_cpu(arena, topology, usable);
    else if (hwloc_bitmap_isset(usable, (unsigned)wanted))
        *cpu = wanted;
    else
        is_found = false;
    if (!is_found || *cpu < 0) {
        char *list = NULL;
        hwloc_bitmap_list_asprintf(&list, usable);
        fail_set(fail, FAIL_INPUT, "CPU %d cannot be used here: choose one of %s", wanted, list ? list : "none");
        free(list);
        is_found = false;
    }
    hwloc_bitmap_free(usable);
    return is_found;
}

bool host_choose_cpu(struct arena *arena, int wanted, int *cpu, struct fail *fail) {
    *cpu = wanted;
    if (wanted >= 0)
        return true; // pinning tells whether it exists
    hwloc_topology_t topology;
    if (!load(&topology, fail))
        return false;
    bool is_chosen = choose(arena, topology, wanted, cpu, fail);
    hwloc_topology_destroy(topology);
    return is_chosen;
}

// hwloc ranks kinds of cores by what the system says of their speed.
static const char *core_type(hwloc_topology_t topology, int cpu) {
    int n_kinds = hwloc_cpukinds_get_nr(topology, 0), kind = core_kind(topology, cpu), efficiency = -1;
    if (n_kinds < 2 || kind < 0)
        return NULL;
    if (hwloc_cpukinds_get_info(topology, (unsigned)kind, NULL, &efficiency, NULL, NULL, 0) != 0 || efficiency < 0)
        return "unknown";
    return kind == n_kinds - 1 ? "performance" : kind == 0 ? "efficiency" : "middle";
}

bool host_read_topology(struct arena *arena, int wanted_cpu, struct host *host, struct fail *fail) {
    hwloc_topology_t topology;
    if (!load(&topology, fail))
        return false;
    int n_cpus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    int n_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    host->n_cpus = n_cpus > 0 ? (unsigned)n_cpus : 0;
    host->n_cores = n_cores > 0 ? (unsigned)n_cores : host->n_cpus;
    host->smt = host->n_cpus > host->n_cores;
    bool is_chosen = choose(arena, topology, wanted_cpu, &host->cpu, fail);
    if (is_chosen)
        host->core_type = core_type(topology, host->cpu);
    hwloc_topology_destroy(topology);
    return is_chosen;
}
