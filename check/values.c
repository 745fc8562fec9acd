#include "check/values.h"

#include <string.h>

static const char *const quantity_names[CHECK_N_QUANTITIES] = {"latency", "throughput", "slots", "block"};

const char *check_quantity_name(enum check_quantity quantity) {
    return quantity_names[quantity];
}

const char *check_value_label(struct arena *arena, const struct check_value *value) {
    const char *rest = *value->how ? value->how : value->detail, *name = check_quantity_name(value->quantity);
    if (value->streams)
        return value->streams == 1 ? arena_printf(arena, "one stream, %s", rest)
                                   : arena_printf(arena, "each of %u streams, %s", value->streams, rest);
    return arena_printf(arena, "%s%s%s", name, *rest ? " " : "", rest);
}

bool check_value_is_bound(const struct check_value *value) {
    return value->value.relation == TABLE_AT_MOST || value->waits_for_lines;
}

int check_value_compare(const struct check_value *a, const struct check_value *b) {
    int order = strcmp(a->form, b->form);
    if (order == 0)
        order = (a->quantity > b->quantity) - (a->quantity < b->quantity);
    return order ? order : strcmp(a->detail, b->detail);
}

size_t check_values_find_form(const struct check_value *values, size_t n, const char *form) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(values[middle].form, form) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && strcmp(values[low].form, form) == 0 ? low : n;
}

const char *check_results_origin(struct arena *arena, const struct check_results *results) {
    const char *when = date_range_text(arena, &results->when);
    return arena_printf(arena, "%s; %s; %s", results->machine, results->clock, when ? when : "date not recorded");
}
