#include "check/gap.h"

#include "base/bytes.h"
#include "base/file.h"
#include "bench/whole.h"
#include "check/forwarding.h"

#include <math.h>
#include <string.h>

bool gap_is_sure(const struct check_value *value) {
    return table_is_stable(&value->value) && isfinite(value->value.low) && isfinite(value->value.high);
}

// Of a class, the name of its first write; of RISC-V's vectors with the pair: "WriteVIALUV_M2", "WriteVIDivV_MF2_E16".
static size_t written_length(const char *class_name) {
    const char *reads = strstr(class_name, "_Read"), *group = strstr(class_name, "_M");
    bool has_group = group && reads && group < reads && (group[2] == 'F' || (group[2] >= '1' && group[2] <= '8'));
    return has_group ? (size_t)(reads - class_name) : strcspn(class_name, "_");
}

const char *gap_class_name(struct arena *arena, const char *class_name) {
    enum { LONGEST = 40 };
    uint32_t hash = bytes_hash_32(class_name, strlen(class_name));
    if (strlen(class_name) <= LONGEST)
        return class_name;
    return arena_printf(arena, "%.*s+%04x", (int)written_length(class_name), class_name, (hash ^ hash >> 16) & 0xffff);
}

double gap_find(const struct check_value *value, const struct predicted *predicted) {
    const struct table_value *measured = &value->value;
    double low = check_value_is_bound(value) ? -INFINITY : measured->low;
    double nearest = fmin(fmax(predicted->cycles, low), measured->high), off = fabs(predicted->cycles - nearest);
    const bool is_sum = value->quantity == CHECK_LATENCY && check_value_is_bound(value) && measured->sum > 0;
    if (off <= MEASURED_LEAST_DIFFERENCE * predicted->simulated || (is_sum && off < GAP_LEAST_OF_SUM))
        return 0;
    return off / fmax(fabs(measured->cycles), MEASURED_LEAST_DIFFERENCE);
}

double gap_below(const struct check_value *value, const struct predicted *predicted) {
    double below = check_value_is_bound(value) ? value->value.low - predicted->cycles : 0;
    return below > MEASURED_LEAST_DIFFERENCE * predicted->simulated ? below : 0;
}

double gap_allowed_below(const struct check_value *value, const struct predicted *model) {
    static const double cycles = 2, share = 0.1;
    const struct table_value *measured = &value->value;
    double nearest = fmin(fmax(model->cycles, measured->low), measured->high);
    return fmax(fabs(model->cycles - nearest), fmax(cycles, share * fabs(measured->cycles)));
}

const char *gap_ratio_name(struct arena *arena, double ratio) {
    enum { LARGEST = 12, LARGEST_DIVISOR = 4 };
    static const double share = 0.02;
    for (int n = 1; n <= LARGEST_DIVISOR; n++) {
        double k = round(ratio * n);
        if (k >= 1 && k <= LARGEST && fabs(k / n - ratio) <= share * ratio)
            return n == 1 ? arena_printf(arena, "x%.0f", k) : arena_printf(arena, "x%.0f/%d", k, n);
    }
    return NULL;
}

// A latency: of the class, or of all addresses alike.
static void blame_latency(struct arena *arena, struct check_difference *difference) {
    const struct check_value *value = difference->value;
    const char *class_name = gap_class_name(arena, value->class_name);
    double delta = difference->number - value->value.cycles;
    bool is_address = file_has_suffix(value->source, ".base") || file_has_suffix(value->source, ".index");
    if (forwarding_explains(value, difference->number)) {
        difference->own = arena_printf(arena, "forwarding/%s", class_name);
        long own = lround(value->value.cycles);
        difference->about = arena_printf(arena, "%ld cycle%s to its own kind, %ld to others; the model lacks it", own,
                                         own == 1 ? "" : "s", lround(value->to_others));
        return;
    }
    if (strcmp(value->source, "same") == 0) {
        difference->own = arena_printf(arena, "same-register/%s", class_name);
        difference->about = "all sources one register";
        return;
    }
    if (strcmp(value->destination, "memory") == 0) {
        difference->own = arena_printf(arena, "memory/%s", class_name);
        difference->shared = "memory";
        difference->about = "through memory";
        return;
    }
    difference->own = arena_printf(arena, "latency/%s", class_name);
    if (is_address && fabs(delta - round(delta)) <= WHOLE_DIFFERENCE && value->value.relation == TABLE_EQUAL) {
        difference->shared = arena_printf(arena, "address-latency/%+.0f", round(delta));
        difference->about = "from an address";
    }
}

// A buffer goes by its name: "reorder-buffer".
static const char *machine_part(struct arena *arena, const struct predicted *predicted) {
    char *name = arena_strdup(arena, predicted->resource);
    for (char *c = name; (c = strchr(c, ' '));)
        *c = '-';
    return predicted->kind == BOTTLENECK_BUFFER        ? name
           : predicted->kind == BOTTLENECK_FRONT_END   ? "front-end"
           : predicted->kind == BOTTLENECK_MEMORY      ? "memory"
           : predicted->kind == BOTTLENECK_INTERACTION ? "interaction"
                                                       : "retire-width";
}

// A throughput: what limits the simulated copies is at fault where they are too slow. Where they are too fast, it is
// not enough.
static void blame_throughput(struct arena *arena, struct check_difference *difference,
                             const struct predicted *predicted) {
    const struct check_value *value = difference->value;
    const char *class_name = gap_class_name(arena, value->class_name);
    const char *ratio = gap_ratio_name(arena, value->value.cycles / predicted->cycles);
    difference->own = arena_printf(arena, "throughput/%s", class_name);
    switch (predicted->kind) {
    case BOTTLENECK_RESOURCE:
    case BOTTLENECK_UNEVEN:
        difference->about = arena_printf(arena, "%s held for %u cycle%s", predicted->resource, predicted->holds_cycles,
                                         predicted->holds_cycles == 1 ? "" : "s");
        if (ratio)
            difference->shared = arena_printf(arena, "resource/%s/%u-cycle%s/%s", predicted->resource,
                                              predicted->holds_cycles, predicted->holds_cycles == 1 ? "" : "s", ratio);
        return;
    case BOTTLENECK_DISPATCH:
        difference->about = "dispatch width";
        if (ratio)
            difference->shared = arena_printf(arena, "dispatch-width/%s", ratio);
        return;
    case BOTTLENECK_DEPENDENCY:
        // A latency of the model's limits the copies, so its class is that latency's.
        difference->own = arena_printf(arena, "latency/%s", class_name);
        difference->about = "copies wait for a latency";
        return;
    case BOTTLENECK_BUFFER:
    case BOTTLENECK_RETIRE:
    case BOTTLENECK_FRONT_END:
    case BOTTLENECK_MEMORY:
    case BOTTLENECK_INTERACTION:
        difference->about = predicted->resource;
        if (ratio)
            difference->shared = arena_printf(arena, "%s/%s", machine_part(arena, predicted), ratio);
        return;
    case BOTTLENECK_UNKNOWN:
        return;
    }
}

struct check_difference gap_describe(struct arena *arena, const struct check_value *value,
                                     const struct predicted *predicted) {
    struct check_difference difference = {.value = value, .number = predicted->cycles, .about = ""};
    difference.gap =
        (predicted->cycles - value->value.cycles) / fmax(fabs(value->value.cycles), MEASURED_LEAST_DIFFERENCE);
    switch (value->quantity) {
    case CHECK_LATENCY:
        blame_latency(arena, &difference);
        break;
    case CHECK_SLOTS:
        difference.own = arena_printf(arena, "slots/%s", gap_class_name(arena, value->class_name));
        difference.are_slots = predicted->are_slots;
        break;
    case CHECK_THROUGHPUT:
    case CHECK_BLOCK:
    case CHECK_N_QUANTITIES:
        blame_throughput(arena, &difference, predicted);
        break;
    }
    return difference;
}
