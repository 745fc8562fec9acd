// The parts of host.h, for its own files and for the native target. Files are read below CYCLOPS_FSROOT.
#ifndef BENCH_HOST_FILES_H
#define BENCH_HOST_FILES_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/host.h"

#include <stdbool.h>

// The path below the root, and the first line of that file (null: no such file, or an empty line).
const char *host_path(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *host_line(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The number in the first line, base 10 or with 0x; false where there is none.
bool host_number(struct arena *arena, double *number, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool host_root_is_real(void); // CYCLOPS_FSROOT is not set
// Does a list of CPUs as the kernel writes them ("0-3,8") hold `cpu`?
bool host_list_holds(const char *list, int cpu);

// Each fills its part of `host`. host_read_topology is first: it chooses the CPU that the others look at.
bool host_read_topology(struct arena *arena, const struct host_wish *wish, struct host *host, struct fail *fail);
bool host_read_cpuinfo(struct arena *arena, struct host *host, struct fail *fail);
void host_read_hypervisor(struct arena *arena, struct host *host);
void host_read_frequency(struct arena *arena, struct host *host);
void host_read_pmu(struct arena *arena, struct host *host);

// `wanted` itself, or, if that is -1, a quiet CPU.
bool host_choose_cpu(struct arena *arena, int wanted, int *cpu, struct fail *fail);

// perf's number of the PMU that belongs to `cpu`, where the cores have several; 0 where one serves all, or none.
unsigned long host_pmu_type(struct arena *arena, int cpu);

// "Neoverse-N1" for the numbers in an Arm core's MIDR register; null: not in our list.
const char *host_arm_name(unsigned implementer, unsigned part);
const char *host_arm_vendor(unsigned implementer);

#endif
