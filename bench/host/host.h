// The machine we measure on: its properties, and what we may control. Reads /sys and /proc below the folder in
// environment variable CYCLOPS_FSROOT (default "/"), so that tests can replace the machine. hwloc's variables
// HWLOC_XMLFILE and HWLOC_FSROOT do the same for the topology.
#ifndef BENCH_HOST_HOST_H
#define BENCH_HOST_HOST_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>

enum { HOST_MAX_SIBLINGS = 7 }; // other threads of a core: POWER has 7, x86 and Arm have 1

struct host {
    const char *cpu_name;                     // "AMD EPYC 9654 96-Core Processor"
    const char *vendor;                       // "AuthenticAMD"
    unsigned family, model, stepping;         // Arm: architecture, part number, variant * 16 + revision (as in MIDR)
    const char *midr;                         // Arm's register of this name, "0x414fd0b1"; null: another ISA
    const char *mvendorid, *marchid, *mimpid; // RISC-V's registers of these names, hexadecimal; null: not shown
    unsigned vector_bits;                     // bits of a vector register, where CPUs of one ISA differ; 0: unknown
    unsigned page_bytes;                      // size of a page of memory
    const char *microcode, *kernel;
    const char *hypervisor;   // "KVM"; null: none found
    const char *const *flags; // CPU features in the words of /proc/cpuinfo; null-terminated
    unsigned n_cpus, n_cores;
    bool smt;                        // some core has more than one thread online
    int cpu;                         // logical CPU to measure on
    int siblings[HOST_MAX_SIBLINGS]; // other logical CPUs of its core
    unsigned n_siblings;
    const char *core_type; // on hybrid machines: "performance", "middle", "efficiency", "unknown"; else null
    enum host_turbo { TURBO_UNKNOWN, TURBO_ON, TURBO_OFF } turbo;
    const char *turbo_file;      // file that controls boost; null: not controllable here
    const char *turbo_off_value; // value of that file that means off: "0" or "1"
    bool turbo_writable;
    const char *frequency_driver;     // cpufreq's driver: "intel_pstate", "amd-pstate-epp"; null: no cpufreq
    const char *governor, *governors; // governor in use, and all available ones, separated by blanks; null: no cpufreq
    double khz_lowest, khz_highest;   // cpufreq's limits; 0: unknown
    double khz_possible;              // highest frequency of this core, boost included; 0: unknown
    double khz_nominal;               // nominal frequency, without boost, by the firmware; 0: unknown
    double ghz_stated;                // nominal frequency that the system states; 0: none
    const char *ghz_source;           // source of that frequency, for people; null: none
    int perf_paranoid;                // kernel.perf_event_paranoid; -99: unknown
    bool has_pmu;                     // a core PMU is registered with perf
    const char *pmu_note;             // why counters cannot be used, for people; null: they can
    // Caches that the CPU uses, from the nearest one.
    const struct host_cache {
        unsigned level;
        const char *type; // "data", "instruction", "unified"
        unsigned long kib;
        unsigned line_bytes, ways; // 0: unknown
        const char *cpus;          // logical CPUs that share it, "0-1"; null: unknown
    } * caches;
    size_t n_caches;
    // Known weaknesses of CPUs, and what the kernel does about them here: microcode that mends one may make
    // instructions slower, as it does gathers.
    const struct host_mitigation {
        const char *name;  // "gather_data_sampling"
        const char *state; // in the kernel's words: "Not affected", "Mitigation: Microcode"
    } * mitigations;
    size_t n_mitigations;
};

// Where to measure.
struct host_request {
    int cpu;               // logical CPU; -1: choose a quiet one
    const char *core_type; // type of the core: "performance", "middle", "efficiency"; null: any, the fastest first
};

// Chooses the CPU and reads all fields. Fails where no CPU fits the request, or hwloc or /proc/cpuinfo cannot be read.
bool host_read(struct arena *arena, const struct host_request *request, struct host *host, struct fail *fail);

// Returns whether programs can use a CPU feature now, by the kernel. `feature`: LLVM's name of it ("avx512f", "neon").
// FEATURE_UNKNOWN: this program does not know the feature.
enum host_feature { FEATURE_MISSING, FEATURE_PRESENT, FEATURE_UNKNOWN };
enum host_feature host_feature(const struct host *host, const char *feature);
// The same by the kernel's words alone, such as those in a file of another machine.
enum host_feature host_feature_by_flags(const char *const *flags, const char *feature);
// Returns " (did you mean 'avx512f'?)" for an unknown word; "" where no feature is near.
const char *host_feature_near(struct arena *arena, const char *feature);

// Returns the state of a mitigation by its name; null: the kernel does not know of it.
const char *host_mitigation(const struct host *host, const char *name);

// Returns one line: "AMD EPYC (znver4), VM, no hardware counters"; `cpu_model` may be null.
const char *host_summary(struct arena *arena, const struct host *host, const char *cpu_model);

#endif
