// The parts of host.h: files below CYCLOPS_FSROOT, the core PMU, names of Arm cores.
#ifndef BENCH_HOST_FILES_H
#define BENCH_HOST_FILES_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/host/host.h"

#include <stdbool.h>

// host_path returns the path below CYCLOPS_FSROOT. host_line returns the file's first line; null: no such file, or the
// line is empty.
const char *host_path(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *host_line(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Sets `number` from the first line, decimal or with 0x. Returns false where the line starts with no number.
bool host_number(struct arena *arena, double *number, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *host_boot_id(struct arena *arena); // identifies the machine's last start; "": unknown
bool host_root_is_real(void);                  // CYCLOPS_FSROOT is not set, or is empty or "/"
// Whether the kernel's list of CPUs ("0-3,8"; null: empty) contains `cpu`.
bool host_list_holds(const char *list, int cpu);

// Each fills its part of `host`, whose CPU must be chosen before. host_read_cpuinfo fails without /proc/cpuinfo; the
// others come after it.
bool host_read_cpuinfo(struct arena *arena, struct host *host, struct fail *fail);
void host_read_hypervisor(struct arena *arena, struct host *host);
void host_read_frequency(struct arena *arena, struct host *host);
void host_read_pmu(struct arena *arena, struct host *host);
void host_read_identity(struct arena *arena, struct host *host);

// The performance monitoring unit (PMU) of the cores, with perf's name and number. Hybrid and big.LITTLE machines have
// one for each kind of core.
struct host_core_pmu {
    const char *name; // "cpu", "cpu_atom", "armv8_cortex_a53"; null: the CPU has no core PMU
    unsigned type;    // type for struct perf_event_attr
    unsigned n_all;   // number of core PMUs of this machine, those of other CPUs included
};
bool host_is_core_pmu(const char *name);
// Fills `pmu` for `cpu`. Returns false where the CPU has no core PMU, or the PMU's type cannot be read.
bool host_core_pmu(struct arena *arena, int cpu, struct host_core_pmu *pmu);

// Return the name of an Arm core ("Neoverse-N1") and of its vendor ("ARM") by the numbers in its MIDR register; null:
// unknown.
const char *host_arm_name(unsigned implementer, unsigned part);
const char *host_arm_vendor(unsigned implementer);

// What /proc/cpuinfo shows of MIDR. The kernel shows the register as well, though not in all versions.
struct host_arm_parts {
    unsigned implementer, variant, part, revision;
};
const char *host_midr(struct arena *arena, int cpu, const struct host_arm_parts *parts);

#endif
