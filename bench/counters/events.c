#include "bench/counters/events.h"

#include "base/text.h"
#include "bench/counters/event_name.h"
#include "bench/counters/pfm.h"

#include <string.h>

// A growing list of words in an arena.
struct words {
    struct arena *arena;
    const char **items;
    size_t n;
};

static void add_word(struct words *words, const char *word) {
    *ARENA_ADD(words->arena, words->items, words->n) = word;
}

static bool is_usable(const struct pfm *pfm, pfm_pmu_t pmu, pfm_pmu_info_t *info) {
    *info = (pfm_pmu_info_t){.size = sizeof *info};
    return pfm->get_pmu_info(pmu, info) == PFM_SUCCESS && info->is_present && info->type == PFM_PMU_TYPE_CORE;
}

static void add_events(struct words *words, const struct pfm *pfm, const pfm_pmu_info_t *pmu, bool is_qualified) {
    for (int i = pmu->first_event; i != -1; i = pfm->get_event_next(i)) {
        pfm_event_info_t event = {.size = sizeof event};
        if (pfm->get_event_info(i, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS)
            add_word(words, is_qualified ? arena_printf(words->arena, "%s::%s", pmu->name, event.name) : event.name);
    }
}

static void add_all_events(struct words *words, const struct pfm *pfm, bool is_qualified) {
    for (pfm_pmu_t pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info;
        if (is_usable(pfm, pmu, &info))
            add_events(words, pfm, &info, is_qualified);
    }
}

size_t events_list(struct arena *arena, int cpu, const char ***names, struct fail *fail) {
    struct words words = {.arena = arena};
    struct pfm pfm;
    const char *why = "it does not know this CPU; a newer version may", **listed;
    if (pfm_load(&pfm, &why))
        add_all_events(&words, &pfm, true);
    struct host_core_pmu pmu;
    size_t n_listed = host_core_pmu(arena, cpu < 0 ? 0 : cpu, &pmu) ? event_names_of_pmu(arena, pmu.name, &listed) : 0;
    for (size_t i = 0; i < n_listed; i++)
        add_word(&words, arena_printf(arena, "%s/%s/", pmu.name, listed[i]));
    if (words.n == 0)
        fail_set(fail, FAIL_UNAVAILABLE, "no names of events: libpfm4: %s; and the kernel lists none", why);
    *names = words.items;
    return words.n;
}

// Returns "UOPS_ISSUED" from "skl::UOPS_ISSUED:ANY:c=1".
static const char *event_part(struct arena *arena, const char *name) {
    const char *colons = strstr(name, "::");
    const char *event = colons ? colons + 2 : name;
    return arena_copy(arena, event, strcspn(event, ":."));
}

// Returns, for a message, the attribute that the name probably means; else all umasks of the event.
static const char *near_attribute(struct arena *arena, const struct pfm *pfm, const char *name) {
    const char *event = event_part(arena, name);
    size_t n_head = (size_t)(strstr(name, event) - name) + strlen(event);
    int index = pfm->find_event(arena_copy(arena, name, n_head));
    pfm_event_info_t info = {.size = sizeof info};
    if (index < 0 || pfm->get_event_info(index, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS)
        return "";
    struct words words = {.arena = arena};
    struct text all = {.arena = arena};
    for (int i = 0; i < info.nattrs; i++) {
        pfm_event_attr_info_t attribute = {.size = sizeof attribute};
        if (pfm->get_event_attr_info(index, i, PFM_OS_PERF_EVENT, &attribute) != PFM_SUCCESS)
            continue;
        add_word(&words, attribute.name);
        if (attribute.type == PFM_ATTR_UMASK)
            text_addf(&all, " %s", attribute.name);
    }
    const char *given = name[n_head] ? name + n_head + 1 : "";
    const char *word = arena_copy(arena, given, strcspn(given, ":.="));
    const char *near = *word ? text_did_you_mean(arena, word, words.items, words.n) : "";
    return *near || !all.data ? near : arena_printf(arena, " (it has:%s)", all.data);
}

static const char *explain(struct arena *arena, const struct pfm *pfm, const char *name, int status) {
    if (status == PFM_ERR_NOTFOUND) {
        struct words words = {.arena = arena};
        add_all_events(&words, pfm, false);
        const char *near = text_did_you_mean(arena, event_part(arena, name), words.items, words.n);
        return arena_printf(arena, "libpfm4 knows no such event of this CPU%s", near);
    }
    return arena_printf(arena, "libpfm4: %s%s", pfm->strerror(status), near_attribute(arena, pfm, name));
}

static int encode(const struct pfm *pfm, const char *name, struct perf_event_attr *attributes) {
    struct perf_event_attr fresh = {.size = sizeof fresh};
    pfm_perf_encode_arg_t argument = {.attr = &fresh, .size = sizeof argument};
    int status = pfm->get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
    if (status == PFM_SUCCESS)
        *attributes = fresh;
    return status;
}

// Searches the tables of all kinds of cores for a bare name that counts on this PMU.
static bool encode_for_pmu(struct arena *arena, const struct pfm *pfm, const char *name, unsigned pmu_type,
                           struct perf_event_attr *attributes) {
    for (pfm_pmu_t pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info;
        struct perf_event_attr found;
        if (is_usable(pfm, pmu, &info) &&
            encode(pfm, arena_printf(arena, "%s::%s", info.name, name), &found) == PFM_SUCCESS &&
            found.type == pmu_type) {
            *attributes = found;
            return true;
        }
    }
    return false;
}

static bool is_of_other_pmu(const struct perf_event_attr *attributes, unsigned pmu_type) {
    return pmu_type && attributes->type >= PERF_TYPE_MAX && attributes->type != pmu_type;
}

bool event_encode_by_library(struct arena *arena, const char *name, unsigned pmu_type,
                             struct perf_event_attr *attributes, const char **why) {
    struct pfm pfm;
    if (!pfm_load(&pfm, why)) {
        *why = arena_printf(arena, "libpfm4 cannot be used (%s)", *why);
        return false;
    }
    if (pmu_type && !strstr(name, "::") && encode_for_pmu(arena, &pfm, name, pmu_type, attributes))
        return true;
    int status = encode(&pfm, name, attributes);
    if (status == PFM_SUCCESS && !is_of_other_pmu(attributes, pmu_type))
        return true;
    *why = status == PFM_SUCCESS ? "it counts on cores of another kind than the CPU's"
                                 : explain(arena, &pfm, name, status);
    return false;
}
