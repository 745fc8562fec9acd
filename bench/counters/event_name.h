// Turns the name of a hardware event into perf's attributes, for one CPU. Names are tried in this order:
//     r1b1                              raw number of an event of the CPU's own PMU, hexadecimal
//     cpu/event=0xb1,umask=0x1/         a PMU of /sys/bus/event_source/devices, with terms or a name that it lists
//     UOPS_DISPATCHED_PORT:PORT_0       a name of libpfm4, with umasks and modifiers; skl::… selects a table
//     cpu_cycles                        a name that the CPU's own PMU lists in /sys
// Where a machine has cores of several kinds, /sys comes before libpfm4, and the event counts on the PMU of the CPU's
// kind.
#ifndef BENCH_COUNTERS_EVENT_NAME_H
#define BENCH_COUNTERS_EVENT_NAME_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"
#include "bench/host/files.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

// Encodes an event, which counts in user mode only. Fails where the name is unknown (FAIL_INPUT, with similar names).
bool event_encode(struct arena *arena, const char *name, const struct host_core_pmu *pmu,
                  struct perf_event_attr *attributes, struct fail *fail);

// The parts of event_encode follow.
// Encodes terms as in /sys: "event=0x3c,umask=0x1" by the PMU's `format` files, or one name of its `events`.
bool event_encode_terms(struct arena *arena, const char *pmu, const char *terms, struct perf_event_attr *attributes,
                        struct fail *fail);
// Sets `names` to those that a PMU lists in /sys, and returns their number.
size_t event_names_of_pmu(struct arena *arena, const char *pmu, const char ***names);

// Encodes a generic event (PERF_COUNT_HW_…) of the CPU's PMU.
void event_encode_generic(uint64_t event, const struct host_core_pmu *pmu, struct perf_event_attr *attributes);

// Encodes a name of libpfm4, in events.c. Programs built without libpfm4 bring a function that always fails.
// `pmu_type`: type of the PMU that the event must count on; 0: any. On failure `why` is the reason, with similar names.
bool event_encode_by_library(struct arena *arena, const char *name, unsigned pmu_type,
                             struct perf_event_attr *attributes, const char **why);

// Takes the first event off a list with commas; returns false at its end. A comma between slashes is part of the event:
// cpu/event=0xb1,umask=0x1/.
bool event_name_next(const char **list, struct slice *event);

#endif
