// Private to this folder.
// libpfm4, loaded at its first use: its tables of events need 41,000 relocations, 0.6 ms that simulations should not
// pay. Only the functions in use are here; their manual pages describe them.
#ifndef BENCH_COUNTERS_PFM_H
#define BENCH_COUNTERS_PFM_H

#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>

struct pfm {
    int (*find_event)(const char *name);
    int (*get_event_attr_info)(int event, int attribute, pfm_os_t os, pfm_event_attr_info_t *info);
    int (*get_event_info)(int event, pfm_os_t os, pfm_event_info_t *info);
    int (*get_event_next)(int event);
    int (*get_os_event_encoding)(const char *name, int privileges, pfm_os_t os, void *argument);
    int (*get_pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *info);
    const char *(*strerror)(int error);
};

// Loads and initialises it; it stays loaded. On failure returns false, and `why` is the reason, valid until the next
// call of dlerror(3).
bool pfm_load(struct pfm *pfm, const char **why);

#endif
