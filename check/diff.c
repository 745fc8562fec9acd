#include "check/diff.h"

#include "check/gap.h"
#include "check/predictor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *diff_kind_name(enum diff_kind kind) {
    static const char *const names[DIFF_N_KINDS] = {"same",     "moved", "now stable", "now unstable",
                                                    "unstable", "new",   "lost",       "incomparable"};
    return names[kind];
}

double diff_standard_deviations(double confidence) {
    double low = 0, high = 10;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (erf(middle / sqrt(2)) < confidence)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Standard deviation that an interval stands for.
static double deviation(const struct check_value *value) {
    static const double least_confidence = 0.5;
    double half = fmax(value->value.high - value->value.cycles, value->value.cycles - value->value.low);
    return half / diff_standard_deviations(fmax(value->confidence, least_confidence));
}

static double p_value(const struct check_value *a, const struct check_value *b) {
    double apart = fabs(a->value.cycles - b->value.cycles), one = deviation(a), other = deviation(b);
    double spread = sqrt(one * one + other * other);
    if (apart == 0)
        return 1;
    return spread > 0 ? erfc(apart / spread / sqrt(2)) : 0;
}

static bool are_apart(const struct check_value *a, const struct check_value *b) {
    const struct table_value *x = &a->value, *y = &b->value;
    return (x->high < y->low || y->high < x->low) &&
           fabs(x->cycles - y->cycles) > MEASURED_LEAST_DIFFERENCE * fmin(fabs(x->cycles), fabs(y->cycles));
}

static bool are_of_one_code(const struct table_value *a, const struct table_value *b) {
    return a->bytes && b->bytes && strcmp(a->bytes, b->bytes) == 0;
}

// Whether a latency was measured in another way: crossing copies replaced partners, whose bypass was in the value. Or
// whether two tables show the throughput of different code, one of which has no single speed: a table shows the
// smallest that was stable then, such as of a loop instead of unrolled code.
static bool are_of_other_code(const struct check_value *a, const struct check_value *b) {
    bool has_range = a->value.has_two_speeds || b->value.has_two_speeds;
    bool is_other_way = table_is_crossing(&a->value) != table_is_crossing(&b->value);
    bool may_differ = (has_range && a->quantity == CHECK_THROUGHPUT) || (is_other_way && a->quantity == CHECK_LATENCY);
    return may_differ && !are_of_one_code(&a->value, &b->value);
}

// What two known values with one key are, before significance is judged.
static enum diff_kind kind_of(const struct check_value *before, const struct check_value *after) {
    if (!gap_is_sure(before) || !gap_is_sure(after))
        return gap_is_sure(before) ? DIFF_NOW_UNSTABLE : gap_is_sure(after) ? DIFF_BETTER_KNOWN : DIFF_BOTH_UNSTABLE;
    if (!are_apart(before, after))
        return DIFF_SAME;
    // A bound does not state how much less the value is. Only one below the other value contradicts it; or another
    // bound by the same code.
    const struct check_value *bound = before->value.relation == TABLE_AT_MOST ? before : after,
                             *other = bound == before ? after : before;
    bool is_open = bound->value.relation == TABLE_AT_MOST && other->value.relation == TABLE_EQUAL &&
                   bound->value.cycles > other->value.cycles;
    is_open |= are_of_other_code(before, after);
    is_open |= other->value.relation == TABLE_AT_MOST && !are_of_one_code(&bound->value, &other->value);
    return is_open ? DIFF_INCOMPARABLE : DIFF_MOVED;
}

static int compare_p(const void *a, const void *b) {
    const struct diff_entry *one = *(struct diff_entry *const *)a, *other = *(struct diff_entry *const *)b;
    if (one->p != other->p)
        return one->p < other->p ? -1 : 1;
    return (one > other) - (one < other);
}

// Benjamini and Hochberg: of the p-values in order, the largest k with p(k) <= k/m · rate, and all before it.
static void control(struct arena *arena, struct diff *diff, double rate) {
    struct diff_entry **tested = ARENA_ARRAY(arena, struct diff_entry *, diff->n_entries);
    size_t m = 0, n_significant = 0;
    for (size_t i = 0; i < diff->n_entries; i++)
        if (diff->entries[i].kind == DIFF_SAME || diff->entries[i].kind == DIFF_MOVED)
            tested[m++] = &diff->entries[i];
    if (m)
        qsort(tested, m, sizeof(struct diff_entry *), compare_p);
    for (size_t k = 1; k <= m; k++)
        if (tested[k - 1]->p <= rate * (double)k / (double)m)
            n_significant = k;
    for (size_t k = n_significant; k < m; k++)
        tested[k]->kind = DIFF_SAME;
    diff->n_compared = m;
}

static void add(struct arena *arena, struct diff *diff, const struct check_value *before,
                const struct check_value *after) {
    bool was_known = before && before->value.is_known, is_known = after && after->value.is_known;
    if (!was_known && !is_known)
        return;
    struct diff_entry entry = {was_known ? DIFF_LOST : DIFF_NEW, before, after, 1};
    if (was_known && is_known)
        entry.kind = kind_of(before, after);
    if (entry.kind == DIFF_SAME || entry.kind == DIFF_MOVED)
        entry.p = p_value(before, after);
    *ARENA_ADD(arena, diff->entries, diff->n_entries) = entry;
}

void diff_make(struct arena *arena, const struct check_results *before, const struct check_results *after, double rate,
               struct diff *diff) {
    size_t a = 0, b = 0;
    *diff = (struct diff){0};
    while (a < before->n_values || b < after->n_values) {
        const struct check_value *one = a < before->n_values ? &before->values[a] : NULL,
                                 *other = b < after->n_values ? &after->values[b] : NULL;
        int order = !one ? 1 : !other ? -1 : check_value_compare(one, other);
        add(arena, diff, order <= 0 ? one : NULL, order >= 0 ? other : NULL);
        a += order <= 0;
        b += order >= 0;
    }
    control(arena, diff, rate);
    for (size_t i = 0; i < diff->n_entries; i++)
        diff->n_by_kind[diff->entries[i].kind]++;
}

void diff_models_make(struct arena *arena, const struct check_results *results, const struct model *before,
                      const struct model *after, struct diff_models *diff) {
    static const double rounding = 1e-9;
    struct predictor one, other;
    predictor_open(&one, arena, before);
    predictor_open(&other, arena, after);
    *diff = (struct diff_models){0};
    for (size_t i = 0; i < results->n_values; i++) {
        const struct check_value *value = &results->values[i];
        if (!value->value.is_known)
            continue;
        struct predicted a = predictor_predict(&one, value), b = predictor_predict(&other, value);
        if (!a.is_known && !b.is_known) {
            diff->n_unpredicted++;
            continue;
        }
        diff->n_compared++;
        if (a.is_known == b.is_known && fabs(a.cycles - b.cycles) <= rounding * fmax(fabs(a.cycles), fabs(b.cycles)))
            continue;
        *ARENA_ADD(arena, diff->entries, diff->n_entries) =
            (struct diff_models_entry){value, a.is_known ? a.cycles : NAN, b.is_known ? b.cycles : NAN};
    }
}
