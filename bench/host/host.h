// The machine we measure on: what it is, and what of it we may control. Everything under /sys and /proc is read
// below the folder in environment variable CYCLOPS_FSROOT (default "/"), so that tests can show us other machines;
// hwloc's own variables (HWLOC_XMLFILE, HWLOC_FSROOT) do the same for the topology.
#ifndef BENCH_HOST_HOST_H
#define BENCH_HOST_HOST_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>

enum { HOST_MAX_SIBLINGS = 7 }; // other threads of a core: POWER has 7, x86 and Arm have 1

struct host {
    const char *cpu_name;             // "AMD EPYC 9654 96-Core Processor"
    const char *vendor;               // "AuthenticAMD"
    unsigned family, model, stepping; // Arm: architecture, part number, variant * 16 + revision (as in MIDR)
    const char *microcode, *kernel;
    const char *hypervisor;   // "KVM"; null: none seen
    const char *const *flags; // of /proc/cpuinfo, whatever they are called there; null-terminated
    unsigned n_cpus, n_cores;
    bool smt;                        // some core has more than one thread online
    int cpu;                         // logical CPU measurements run on
    int siblings[HOST_MAX_SIBLINGS]; // other logical CPUs of its core
    unsigned n_siblings;
    const char *core_type; // of that CPU on hybrid parts: "performance", "middle", "efficiency"; null otherwise
    enum host_turbo { TURBO_UNKNOWN, TURBO_ON, TURBO_OFF } turbo;
    const char *turbo_file;      // that controls it; null: not controllable here
    const char *turbo_off_value; // what in that file means off: "0" or "1"
    bool turbo_writable;
    const char *frequency_driver;     // of cpufreq: "intel_pstate", "amd-pstate-epp"; null: no cpufreq
    const char *governor, *governors; // in use, and those there are, with blanks between; null: no cpufreq
    double khz_lowest, khz_highest;   // allowed by cpufreq's limits; 0: unknown
    double khz_possible;              // highest of this core, boost included; 0: unknown
    double khz_nominal;               // without boost, as the firmware states it; 0: unknown
    double ghz_stated;                // nominal frequency the system states; 0: none
    const char *ghz_source;           // what of it states that, for people; null: none
    int perf_paranoid;                // kernel.perf_event_paranoid; -99: unknown
    bool has_pmu;                     // a core PMU is registered with perf
    const char *pmu_note;             // why not, for people
};

// Where to measure.
struct host_wish {
    int cpu;               // logical CPU; -1: a quiet one is chosen
    const char *core_type; // of the one that is chosen: "performance", "middle", "efficiency"; null: the fastest
};

// Reads it all.
bool host_read(struct arena *arena, const struct host_wish *wish, struct host *host, struct fail *fail);

// What is known of a CPU feature, by LLVM's name of it ("avx512f", "neon"): from what the kernel says that programs can
// use now. FEATURE_UNKNOWN: no CPU's feature, as far as this program knows.
enum host_feature { FEATURE_MISSING, FEATURE_PRESENT, FEATURE_UNKNOWN };
enum host_feature host_feature(const struct host *host, const char *feature);
// " (did you mean 'avx512f'?)" for a word that is unknown.
const char *host_feature_near(struct arena *arena, const char *feature);

// One line: "AMD EPYC (znver4), VM, no hardware counters"; `cpu_model` may be null.
const char *host_summary(struct arena *arena, const struct host *host, const char *cpu_model);

#endif
