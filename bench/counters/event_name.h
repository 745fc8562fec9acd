// From the name of a hardware event to what the kernel is asked to count, for one CPU. Names are, in this order:
//     r1b1                              the raw number of an event of the CPU's own PMU, hexadecimal
//     cpu/event=0xb1,umask=0x1/         a PMU of /sys/bus/event_source/devices with its terms or a name it lists
//     UOPS_DISPATCHED_PORT:PORT_0       libpfm4's, with umasks and modifiers; skl::… says which of its tables
//     cpu_cycles                        a name that the CPU's own PMU lists in /sys
// Where a machine has cores of several kinds, the event is bound to the PMU of the kind that the CPU is of.
#ifndef BENCH_COUNTERS_EVENT_NAME_H
#define BENCH_COUNTERS_EVENT_NAME_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"
#include "bench/host/files.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

// Counts in user mode only. An unknown name is FAIL_INPUT and says what is near.
bool event_encode(struct arena *arena, const char *name, const struct host_core_pmu *pmu,
                  struct perf_event_attr *attributes, struct fail *fail);

// The parts of it. Terms as in /sys: "event=0x3c,umask=0x1" by the PMU's `format` files, or one name of its `events`.
bool event_encode_terms(struct arena *arena, const char *pmu, const char *terms, struct perf_event_attr *attributes,
                        struct fail *fail);
// Names that a PMU lists in /sys; returns their number.
size_t event_names_of_pmu(struct arena *arena, const char *pmu, const char ***names);

// A generic event (PERF_COUNT_HW_…) of the CPU's PMU.
void event_encode_generic(uint64_t event, const struct host_core_pmu *pmu, struct perf_event_attr *attributes);

// libpfm4's part, in events.c: programs that are built without libpfm4 bring one that knows nothing. `pmu_type`: of the
// PMU that the event must count on; 0: any. On failure `why` says what is wrong with the name, and what is near.
bool event_encode_by_library(struct arena *arena, const char *name, unsigned pmu_type,
                             struct perf_event_attr *attributes, const char **why);

// Takes the next event off the front of a list with commas between them; false at its end. Commas between slashes are
// the event's own: cpu/event=0xb1,umask=0x1/.
bool event_name_next(const char **list, struct slice *event);

#endif
