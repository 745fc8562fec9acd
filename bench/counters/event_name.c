#include "bench/counters/event_name.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// Parses rXXXX: 1 to 16 hexadecimal digits, and nothing else.
static bool parse_raw(const char *name, uint64_t *number) {
    size_t n_digits = strspn(name + 1, "0123456789abcdefABCDEF");
    if (name[0] != 'r' || n_digits == 0 || n_digits > 16 || name[1 + n_digits] != '\0')
        return false;
    *number = strtoull(name + 1, NULL, 16);
    return true;
}

static struct perf_event_attr empty(void) {
    return (struct perf_event_attr){.size = sizeof(struct perf_event_attr), .exclude_kernel = 1, .exclude_hv = 1};
}

// Binds an event to the PMU on machines with several kinds of cores. Source: perf_event_open(2), PERF_TYPE_HARDWARE and
// PERF_TYPE_RAW.
//  - A generic event counts on one kind only, unless its upper half holds the PMU's number.
//  - A raw event belongs to the first PMU, unless its type is the PMU's number.
static void bind(struct perf_event_attr *attributes, const struct host_core_pmu *pmu) {
    if (pmu->n_all < 2)
        return;
    if (attributes->type == PERF_TYPE_HARDWARE || attributes->type == PERF_TYPE_HW_CACHE)
        attributes->config |= (uint64_t)pmu->type << 32;
    else if (attributes->type == PERF_TYPE_RAW)
        attributes->type = pmu->type;
}

void event_encode_generic(uint64_t event, const struct host_core_pmu *pmu, struct perf_event_attr *attributes) {
    *attributes = empty();
    attributes->type = PERF_TYPE_HARDWARE;
    attributes->config = event;
    bind(attributes, pmu);
}

// "PMU/terms/"
static bool encode_sysfs(struct arena *arena, const char *name, struct perf_event_attr *attributes, struct fail *fail) {
    const char *slash = strchr(name, '/');
    size_t length = strlen(slash + 1);
    if (length == 0 || slash[length] != '/' || strchr(slash + 1, '/') != slash + length)
        return fail_set(fail, FAIL_INPUT, "event '%s' must be written PMU/NAME/ or PMU/event=0x1,umask=0x2/", name);
    *attributes = empty();
    return event_encode_terms(arena, arena_copy(arena, name, (size_t)(slash - name)),
                              arena_copy(arena, slash + 1, length - 1), attributes, fail);
}

// An event of another kind of core would always count 0.
static bool belongs(const char *name, const struct host_core_pmu *pmu, const struct perf_event_attr *attributes,
                    const char *event_pmu, struct fail *fail) {
    if (!event_pmu || pmu->n_all < 2 || attributes->type == pmu->type || !host_is_core_pmu(event_pmu))
        return true;
    return fail_set(fail, FAIL_INPUT, "event '%s' is of %s, but the CPU measured on is one of %s's", name, event_pmu,
                    pmu->name);
}

// Whether the kernel lists this name. Sets `near` to similar names.
static bool is_listed(struct arena *arena, const char *name, const struct host_core_pmu *pmu, const char **near) {
    const char **names = NULL;
    size_t n_names = pmu->name ? event_names_of_pmu(arena, pmu->name, &names) : 0;
    *near = text_did_you_mean(arena, name, names, n_names);
    return text_find(name, names, n_names) < n_names;
}

// On Arm, libpfm4 uses the first CPU's kind. So /sys comes first where there are several kinds.
static bool encode_word(struct arena *arena, const char *name, const struct host_core_pmu *pmu,
                        struct perf_event_attr *attributes, struct fail *fail) {
    const char *why = NULL, *near;
    *attributes = empty();
    bool is_in_sys = is_listed(arena, name, pmu, &near);
    if (is_in_sys && pmu->n_all > 1)
        return event_encode_terms(arena, pmu->name, name, attributes, fail);
    if (event_encode_by_library(arena, name, pmu->n_all > 1 ? pmu->type : 0, attributes, &why)) {
        bind(attributes, pmu);
        return true;
    }
    *attributes = empty();
    if (is_in_sys)
        return event_encode_terms(arena, pmu->name, name, attributes, fail);
    return fail_set(fail, FAIL_INPUT, "unknown event '%s'%s: %s; 'cyclops list events' prints all", name, near, why);
}

bool event_encode(struct arena *arena, const char *name, const struct host_core_pmu *pmu,
                  struct perf_event_attr *attributes, struct fail *fail) {
    uint64_t number;
    if (parse_raw(name, &number)) {
        *attributes = empty();
        attributes->type = PERF_TYPE_RAW;
        attributes->config = number;
        bind(attributes, pmu);
        return true;
    }
    const char *slash = strchr(name, '/');
    if (slash)
        return encode_sysfs(arena, name, attributes, fail) &&
               belongs(name, pmu, attributes, arena_copy(arena, name, (size_t)(slash - name)), fail);
    return encode_word(arena, name, pmu, attributes, fail);
}

bool event_name_next(const char **list, struct slice *event) {
    for (*event = (struct slice){0}; **list && !event->length;) {
        bool is_inside = false;
        const char *c = *list;
        for (; *c && (*c != ',' || is_inside); c++)
            is_inside ^= *c == '/';
        *event = (struct slice){*list, (size_t)(c - *list)};
        *list = *c ? c + 1 : c;
    }
    return event->length > 0;
}
