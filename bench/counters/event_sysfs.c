// Events by the kernel's files of a PMU, below /sys/bus/event_source/devices/PMU:
//  - format/TERM: places of a term's bits ("config:0-7,32-35")
//  - events/NAME: terms of a named event ("event=0x3c,umask=0x0")
//  - type: the PMU's number
// Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events of Linux.
#include "base/file.h"
#include "base/text.h"
#include "bench/counters/event_name.h"

#include <stdlib.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"

size_t event_names_of_pmu(struct arena *arena, const char *pmu, const char ***names) {
    return file_list(arena, host_path(arena, DEVICES "/%s/events", pmu), "", names);
}

// Returns the field of the attributes by its name in a format file, such as "config1"; null: unknown.
static __u64 *field_of(struct perf_event_attr *attributes, const char *name, size_t length) {
    const struct {
        const char *name;
        __u64 *field;
    } fields[] = {
        {"config", &attributes->config}, {"config1", &attributes->config1}, {"config2", &attributes->config2}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strlen(fields[i].name) == length && strncmp(fields[i].name, name, length) == 0)
            return fields[i].field;
    return NULL;
}

// Puts the bits of `value`, lowest first, into the places that the format states. Returns false where the format cannot
// be parsed, or the value has more bits than places.
static bool place_bits(struct perf_event_attr *attributes, const char *format, uint64_t value) {
    size_t length = strcspn(format, ":");
    __u64 *field = field_of(attributes, format, length);
    if (!field || format[length] != ':')
        return false;
    const char *at = format + length + 1;
    while (*at) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (end == at)
            return false;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (first > last || last > 63)
            return false;
        for (unsigned long bit = first; bit <= last; bit++, value >>= 1) {
            *field &= ~(1ULL << bit);
            *field |= (__u64)(value & 1) << bit;
        }
        at = *end == ',' ? end + 1 : end;
        if (at == end && *at)
            return false;
    }
    return value == 0;
}

// Adds a term: "umask=0x1"; without a value it is 1.
static bool add_term(struct arena *arena, const char *pmu, struct slice term, struct perf_event_attr *attributes,
                     struct fail *fail) {
    const char *text = arena_copy(arena, term.data, term.length), *equals = strchr(text, '=');
    const char *key = equals ? arena_copy(arena, text, (size_t)(equals - text)) : text;
    char *end = NULL;
    uint64_t value = equals ? strtoull(equals + 1, &end, 0) : 1;
    if (equals && (end == equals + 1 || *end))
        return fail_set(fail, FAIL_INPUT, "'%s' in an event of %s: expected a number behind '='", text, pmu);
    bool is_direct = field_of(attributes, key, strlen(key)) != NULL;
    const char *format =
        is_direct ? arena_printf(arena, "%s:0-63", key) : host_line(arena, DEVICES "/%s/format/%s", pmu, key);
    if (!format) {
        const char **known;
        size_t n_known = file_list(arena, host_path(arena, DEVICES "/%s/format", pmu), "", &known);
        return fail_set(fail, FAIL_INPUT, "events of %s have no term '%s'%s", pmu, key,
                        text_did_you_mean(arena, key, known, n_known));
    }
    return place_bits(attributes, format, value) ||
           fail_set(fail, FAIL_INPUT, "'%s' does not fit into an event of %s (%s)", text, pmu, format);
}

static bool add_terms(struct arena *arena, const char *pmu, const char *terms, struct perf_event_attr *attributes,
                      struct fail *fail) {
    struct slice rest = {terms, strlen(terms)}, term;
    while (slice_next(&rest, ',', &term))
        if (!add_term(arena, pmu, slice_trim(term), attributes, fail))
            return false;
    return true;
}

// Sets the terms of a listed event. Fails where the terms leave values to the user ("event=0xcd,ldlat=?").
static bool named_terms(struct arena *arena, const char *pmu, const char *name, const char **terms, struct fail *fail) {
    *terms = strchr(name, '/') ? NULL : host_line(arena, DEVICES "/%s/events/%s", pmu, name);
    if (*terms)
        return !strchr(*terms, '?') ||
               fail_set(fail, FAIL_INPUT, "event '%s' of %s needs values: write it as %s/%s/ with numbers for '?'",
                        name, pmu, pmu, *terms);
    const char **known;
    size_t n_known = event_names_of_pmu(arena, pmu, &known);
    return fail_set(fail, FAIL_INPUT, "%s has no event '%s'%s", pmu, name,
                    text_did_you_mean(arena, name, known, n_known));
}

bool event_encode_terms(struct arena *arena, const char *pmu, const char *terms, struct perf_event_attr *attributes,
                        struct fail *fail) {
    double type;
    if (!*pmu || strchr(pmu, '/') || !host_number(arena, &type, DEVICES "/%s/type", pmu)) {
        const char **known;
        size_t n_known = file_list(arena, host_path(arena, DEVICES), "", &known);
        return fail_set(fail, FAIL_INPUT, "there is no PMU '%s' here%s", pmu,
                        text_did_you_mean(arena, pmu, known, n_known));
    }
    attributes->type = (uint32_t)type;
    if (!*terms)
        return fail_set(fail, FAIL_INPUT, "%s//: which event?", pmu);
    const char *named = NULL;
    bool is_name = !strpbrk(terms, "=,") && !host_line(arena, DEVICES "/%s/format/%s", pmu, terms);
    if (is_name && !named_terms(arena, pmu, terms, &named, fail))
        return false;
    return add_terms(arena, pmu, named ? named : terms, attributes, fail);
}
