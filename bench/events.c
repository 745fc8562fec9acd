#include "bench/events.h"

#include "bench/pfm.h"

static size_t add_pmu(struct arena *arena, const struct pfm *pfm, pfm_pmu_t pmu, const char ***names, size_t n) {
    pfm_pmu_info_t pmu_info = {.size = sizeof pmu_info};
    if (pfm->get_pmu_info(pmu, &pmu_info) != PFM_SUCCESS || !pmu_info.is_present || pmu_info.type != PFM_PMU_TYPE_CORE)
        return n;
    for (int i = pmu_info.first_event; i != -1; i = pfm->get_event_next(i)) {
        pfm_event_info_t event = {.size = sizeof event};
        if (pfm->get_event_info(i, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
            continue;
        *names = arena_grow(arena, *names, n, sizeof **names);
        (*names)[n++] = arena_printf(arena, "%s::%s", pmu_info.name, event.name);
    }
    return n;
}

size_t events_list(struct arena *arena, const char ***names, struct fail *fail) {
    *names = NULL;
    size_t n = 0;
    struct pfm pfm;
    const char *why;
    if (!pfm_load(&pfm, &why)) {
        fail_set(fail, FAIL_UNAVAILABLE, "libpfm4 cannot be used: %s", why);
        return 0;
    }
    for (pfm_pmu_t pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++)
        n = add_pmu(arena, &pfm, pmu, names, n);
    if (n == 0)
        fail_set(fail, FAIL_UNAVAILABLE, "libpfm4 knows no events of this CPU; a newer libpfm4 may");
    return n;
}
