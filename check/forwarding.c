#include "check/forwarding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A class whose results its own kind has earlier.
struct kind {
    const char *class_name;
    double own, to_others; // cycles
};

static bool is_sure_latency(const struct check_value *value) {
    return value->quantity == CHECK_LATENCY && table_is_stable(&value->value) && value->value.relation == TABLE_EQUAL &&
           !value->value.has_two_speeds;
}

// Whether copies of the form wait for each other, and for nothing else.
static bool is_of_own_kind(const struct check_value *value) {
    return is_sure_latency(value) && !value->is_to_others && strcmp(value->destination, "memory") != 0 &&
           (!value->value.partner || table_is_crossing(&value->value));
}

// Two latencies that are the same whole number of cycles.
static bool is_as_long(double a, double b) {
    static const double cycles = 0.1, share = 0.01;
    return fabs(a - b) <= cycles + share * b;
}

static void add_kind(struct arena *arena, const struct check_value *values, size_t n, const struct check_value *value,
                     struct kind **kinds, size_t *n_kinds) {
    for (size_t i = check_values_find_form(values, n, value->form); i < n && strcmp(values[i].form, value->form) == 0;
         i++)
        if (is_of_own_kind(&values[i]) && strcmp(values[i].source, value->source) == 0 &&
            strcmp(values[i].destination, value->destination) == 0)
            *ARENA_ADD(arena, *kinds, *n_kinds) =
                (struct kind){value->class_name, values[i].value.cycles, value->value.cycles};
}

static int compare_kinds(const void *a, const void *b) {
    const struct kind *one = a, *other = b;
    return strcmp(one->class_name, other->class_name);
}

// x86: the opcode without its operand in memory, as VADDPSZ256rrk of VADDPSZ256rmbk. Null: it has none.
static const char *register_form(struct arena *arena, const char *form) {
    const char *at = strrchr(form, 'm');
    if (!at || !form_is_plain(form))
        return NULL;
    return arena_printf(arena, "%.*sr%s", (int)(at - form), form, at + 1 + (at[1] == 'b'));
}

// Returns the first kind of the class; null: it has none.
static const struct kind *find_kind(const struct kind *kinds, size_t n, const char *class_name) {
    const struct kind wanted = {.class_name = class_name},
                      *found = bsearch(&wanted, kinds, n, sizeof wanted, compare_kinds);
    while (found && found > kinds && compare_kinds(found - 1, &wanted) == 0)
        found--;
    return found;
}

// The longest that others wait for a result of the class that its own kind has after `own` cycles; 0: it has none. A
// class may show several pairs: of each operand, or of forms that the model does not tell apart.
static double to_others(const struct kind *kind, const struct kind *end, double own) {
    const char *class_name = kind->class_name;
    double longest = 0;
    for (; kind < end && strcmp(kind->class_name, class_name) == 0; kind++)
        if (is_as_long(own, kind->own))
            longest = fmax(longest, kind->to_others);
    return longest;
}

void forwarding_mark(struct arena *arena, struct check_value *values, size_t n) {
    struct kind *kinds = NULL;
    size_t n_kinds = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i].is_to_others && is_sure_latency(&values[i]))
            add_kind(arena, values, n, &values[i], &kinds, &n_kinds);
    if (n_kinds == 0)
        return;
    qsort(kinds, n_kinds, sizeof *kinds, compare_kinds);
    for (size_t i = 0; i < n; i++) {
        if (!is_of_own_kind(&values[i]))
            continue;
        const struct kind *kind = find_kind(kinds, n_kinds, values[i].class_name);
        const char *twin = kind ? NULL : register_form(arena, values[i].form);
        size_t of_twin = twin ? check_values_find_form(values, n, twin) : n;
        if (of_twin < n)
            kind = find_kind(kinds, n_kinds, values[of_twin].class_name);
        if (kind)
            values[i].to_others = to_others(kind, kinds + n_kinds, values[i].value.cycles);
    }
}

bool forwarding_explains(const struct check_value *value, double predicted) {
    return value->to_others > 0 && predicted > value->value.cycles &&
           (predicted < value->to_others || is_as_long(predicted, value->to_others));
}

void forwarding_accept(struct check_value *value, double predicted) {
    struct table_value *measured = &value->value;
    double later = value->to_others - measured->cycles;
    if (value->to_others == 0 || predicted <= measured->high)
        return;
    value->to_own_kind = measured->cycles;
    measured->cycles += later;
    measured->high += later;
}
