#include "bench/host/choose.h"

#include "base/text.h"
#include "bench/host/files.h"
#include "bench/host/load.h"
#include "bench/host/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Time between two readings of the load: a few of the kernel's steps of 10 ms.
enum { LOOK_NS = 60000000 };

struct choice {
    struct arena *arena;
    hwloc_topology_t topology;
    hwloc_bitmap_t usable; // logical CPUs that this process may use
    const char *isolated;  // the kernel's list of CPUs kept free of other work; null: none
    struct host_load before, now;
};

// Returns the logical CPUs that this process may use; for another machine (in tests), those that are online there.
static hwloc_bitmap_t usable_cpus(hwloc_topology_t topology) {
    hwloc_bitmap_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    if (hwloc_topology_is_thissystem(topology) && hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_bitmap_intersects(usable, bound))
        hwloc_bitmap_and(usable, usable, bound);
    hwloc_bitmap_free(bound);
    return usable;
}

enum { N_MERITS = 6 };

// Merits of a CPU, most important first:
//  - the kernel keeps other work off it (isolcpus);
//  - it is of a faster kind, by hwloc's order;
//  - its core is less busy now, in tenths;
//  - its core is not that of CPU 0, which gets most of the system's work;
//  - its core gets fewer interrupts of devices, in powers of two;
//  - its core is less busy now, exactly.
static void judge_cpu(const struct choice *choice, int cpu, double merits[N_MERITS]) {
    hwloc_bitmap_t core = host_topology_core(choice->topology, cpu);
    double busy = 0, interrupts = 0;
    for (int thread = hwloc_bitmap_first(core); thread >= 0; thread = hwloc_bitmap_next(core, thread)) {
        struct host_work work;
        busy += fmax(0, host_load_busy(&choice->before, &choice->now, thread));
        if (host_load_work(&choice->now, thread, &work))
            interrupts += work.interrupts;
    }
    merits[0] = host_list_holds(choice->isolated, cpu);
    merits[1] = host_topology_kind(choice->topology, cpu);
    merits[2] = -floor(busy * 10);
    merits[3] = !hwloc_bitmap_isset(core, 0);
    merits[4] = -floor(log2(1 + interrupts));
    merits[5] = -busy;
    hwloc_bitmap_free(core);
}

static bool is_better(const double a[N_MERITS], const double b[N_MERITS]) {
    for (unsigned i = 0; i < N_MERITS; i++)
        if (a[i] != b[i])
            return a[i] > b[i];
    return false;
}

// Reads the load twice, LOOK_NS apart. Reads it once where there is one CPU, or where captured files never change.
static void look_at_load(struct choice *choice) {
    choice->before.arena = choice->now.arena = choice->arena;
    choice->isolated = host_line(choice->arena, "/sys/devices/system/cpu/isolated");
    if (host_root_is_real() && hwloc_bitmap_weight(choice->usable) > 1) {
        host_load_read(&choice->before);
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    }
    host_load_read(&choice->now);
}

static bool is_of_type(const struct choice *choice, int cpu, const char *core_type) {
    const char *type = host_topology_type(choice->topology, cpu);
    return !core_type || (type && strcmp(type, core_type) == 0);
}

static int quiet_cpu(struct choice *choice, const char *core_type) {
    int best = -1;
    double best_merits[N_MERITS] = {0}, merits[N_MERITS];
    look_at_load(choice);
    for (int cpu = hwloc_bitmap_first(choice->usable); cpu >= 0; cpu = hwloc_bitmap_next(choice->usable, cpu)) {
        if (!is_of_type(choice, cpu, core_type))
            continue;
        judge_cpu(choice, cpu, merits);
        if (best < 0 || is_better(merits, best_merits)) {
            best = cpu;
            memcpy(best_merits, merits, sizeof merits);
        }
    }
    return best;
}

static bool no_such_cpu(const struct choice *choice, int cpu, struct fail *fail) {
    char *list = NULL;
    hwloc_bitmap_list_asprintf(&list, choice->usable);
    fail_set(fail, FAIL_INPUT, "CPU %d cannot be used here: choose one of %s", cpu, list ? list : "none");
    free(list);
    return false;
}

static const char *const types[] = {"performance", "middle", "efficiency"};
enum { N_TYPES = sizeof types / sizeof *types };

static bool no_such_type(const struct choice *choice, const char *core_type, struct fail *fail) {
    const char *have = "";
    for (size_t i = 0; i < N_TYPES; i++)
        for (int cpu = hwloc_bitmap_first(choice->usable); cpu >= 0; cpu = hwloc_bitmap_next(choice->usable, cpu))
            if (is_of_type(choice, cpu, types[i])) {
                have = arena_printf(choice->arena, "%s%s%s", have, *have ? ", " : "", types[i]);
                break;
            }
    if (!*have)
        return fail_set(fail, FAIL_UNAVAILABLE, "there are no %s cores here: all that may be used are of one type",
                        core_type);
    return fail_set(fail, FAIL_UNAVAILABLE, "there are no %s cores here that may be used; there are: %s", core_type,
                    have);
}

bool host_choose_by_request(struct arena *arena, hwloc_topology_t topology, const struct host_request *request,
                            int *cpu, struct fail *fail) {
    const char *type = request->core_type;
    if (type && text_find(type, types, N_TYPES) == N_TYPES)
        return fail_set(fail, FAIL_INPUT, "unknown core type '%s': there are performance, middle and efficiency", type);
    struct choice choice = {.arena = arena, .topology = topology, .usable = usable_cpus(topology)};
    bool is_found = true;
    *cpu = request->cpu;
    if (request->cpu < 0) {
        *cpu = quiet_cpu(&choice, type);
        is_found = *cpu >= 0 || no_such_type(&choice, type ? type : "usable", fail);
    } else if (!hwloc_bitmap_isset(choice.usable, (unsigned)request->cpu)) {
        is_found = no_such_cpu(&choice, request->cpu, fail);
    } else if (!is_of_type(&choice, request->cpu, type)) {
        is_found = fail_set(fail, FAIL_INPUT, "CPU %d is not of type %s", request->cpu, type);
    }
    hwloc_bitmap_free(choice.usable);
    return is_found;
}

bool host_choose_cpu(struct arena *arena, int wanted, int *cpu, struct fail *fail) {
    *cpu = wanted;
    if (wanted >= 0)
        return true; // pinning fails where it does not exist
    hwloc_topology_t topology;
    if (!host_topology_load(&topology, fail))
        return false;
    bool is_chosen = host_choose_by_request(arena, topology, &(struct host_request){.cpu = -1}, cpu, fail);
    hwloc_topology_destroy(topology);
    return is_chosen;
}
