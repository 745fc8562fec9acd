#include "repair/repair_split.h"

#include <string.h>

// Which of an opcode's numbers a finding says something of.
struct kinds {
    bool latency, other;
};

bool repair_split_is_form(const char *form, const char *opcode) {
    size_t length = strlen(opcode);
    return strncmp(form, opcode, length) == 0 && (!form[length] || form[length] == '-');
}

static struct kinds kinds_of(const struct check_finding *finding, const char *form, const char *opcode) {
    struct kinds kinds = {.latency = false};
    for (size_t d = 0; d < finding->n_differences; d++) {
        const struct check_value *value = finding->differences[d].value;
        if (!repair_split_is_form(value->form, opcode) || (form && strcmp(value->form, form) != 0))
            continue;
        bool is_latency = value->quantity == CHECK_LATENCY;
        kinds.latency |= is_latency;
        kinds.other |= !is_latency;
    }
    return kinds;
}

size_t repair_split(struct arena *arena, const struct repair_result *repaired, const struct check_finding *finding,
                    const char *form, struct repair_change **changes, size_t *n_changes) {
    size_t n = 0;
    *changes = NULL;
    *n_changes = 0;
    for (size_t i = 0; i < repaired->n_changes; i++) {
        struct repair_change change = repaired->changes[i];
        struct kinds kinds = kinds_of(finding, form, change.opcode);
        if (change.is_spread)
            continue;
        const struct repair_numbers whole = change.after;
        change.after = kinds.latency && kinds.other ? whole
                       : kinds.latency              ? repair_numbers_with_latencies(&change.before, &whole)
                       : kinds.other                ? repair_numbers_with_latencies(&whole, &change.before)
                                                    : change.before;
        n += !repair_numbers_are_equal(&change.before, &change.after);
        *ARENA_ADD(arena, *changes, *n_changes) = change;
    }
    return n;
}

bool repair_split_is_of(const struct check_finding *finding, const char *name, const char **form) {
    bool is_id = strcmp(finding->id, name) == 0, is_class = false, is_form = false;
    for (size_t d = 0; d < finding->n_differences; d++) {
        const struct check_value *value = finding->differences[d].value;
        is_form |= strcmp(value->form, name) == 0;
        is_class |= strcmp(value->class_name, name) == 0;
    }
    *form = is_form && !is_id ? name : NULL;
    return is_id || is_form || is_class;
}
