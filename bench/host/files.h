// The parts of host.h, for its own files and for the native target. Files are read below CYCLOPS_FSROOT.
#ifndef BENCH_HOST_FILES_H
#define BENCH_HOST_FILES_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/host/host.h"

#include <stdbool.h>

// The path below the root, and the first line of that file (null: no such file, or an empty line).
const char *host_path(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *host_line(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The number in the first line, base 10 or with 0x; false where there is none.
bool host_number(struct arena *arena, double *number, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool host_root_is_real(void); // CYCLOPS_FSROOT is not set
// Does a list of CPUs as the kernel writes them ("0-3,8") hold `cpu`?
bool host_list_holds(const char *list, int cpu);

// Each fills its part of `host`, whose CPU is chosen already.
bool host_read_cpuinfo(struct arena *arena, struct host *host, struct fail *fail);
void host_read_hypervisor(struct arena *arena, struct host *host);
void host_read_frequency(struct arena *arena, struct host *host);
void host_read_pmu(struct arena *arena, struct host *host);

// The performance monitoring unit that counts what the cores do, as perf names and numbers it. Hybrid and big.LITTLE
// machines have one for each kind of core.
struct host_core_pmu {
    const char *name; // "cpu", "cpu_atom", "armv8_cortex_a53"; null: none serves the CPU
    unsigned type;    // for struct perf_event_attr
    unsigned n_all;   // core PMUs of this machine, those of other CPUs included
};
bool host_is_core_pmu(const char *name);
// That of `cpu`; false where there is none.
bool host_core_pmu(struct arena *arena, int cpu, struct host_core_pmu *pmu);

// "Neoverse-N1" for the numbers in an Arm core's MIDR register; null: not in our list.
const char *host_arm_name(unsigned implementer, unsigned part);
const char *host_arm_vendor(unsigned implementer);

#endif
