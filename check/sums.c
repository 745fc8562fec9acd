#include "check/sums.h"

#include "base/text.h"
#include "check/gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_special(const struct check_value *value) {
    return strcmp(value->source, "same") == 0 || strcmp(value->destination, "memory") == 0;
}

bool sums_is_one(const struct check_value *value) {
    return value->quantity == CHECK_LATENCY && value->value.relation == TABLE_AT_MOST && value->value.sum > 0 &&
           !is_special(value);
}

double sums_missing(const struct check_value *value, const struct predicted *predicted) {
    double missing = predicted->is_known && sums_is_one(value) ? gap_below(value, predicted) : 0;
    return missing >= GAP_LEAST_OF_SUM ? missing : 0;
}

struct sums_partners sums_find_partners(struct arena *arena, const struct predictor *predictor,
                                        const struct check_value *value) {
    const size_t length = form_unit_length(value->form);
    struct sums_partners found = {NULL, 0};
    for (size_t p = 0; p < value->value.n_parts; p++) {
        struct arena scratch = {0};
        struct fail fail = {0};
        struct block block = {0};
        const char *code = value->value.parts[p].code;
        if (code && predictor_describe(predictor, &scratch, code, &block, &fail))
            for (unsigned i = 0; i < block.n_insns; i++) {
                const char *opcode = form_unit_of(&scratch, &block.insns[i]);
                bool is_own = strlen(opcode) == length && strncmp(opcode, value->form, length) == 0;
                if (!is_own && block.insns[i].n_reads && text_find(opcode, found.opcodes, found.n) == found.n)
                    *ARENA_ADD(arena, found.opcodes, found.n) = arena_strdup(arena, opcode);
            }
        arena_free(&scratch);
    }
    return found;
}

// The first value of an opcode's plain form; null: it has none.
static const struct check_value *value_of(const struct check_results *results, const char *opcode) {
    size_t i = check_values_find_form(results->values, results->n_values, opcode);
    return i < results->n_values ? &results->values[i] : NULL;
}

// Whether a latency of the opcode is measured by itself.
static bool is_known(const struct check_results *results, const char *opcode) {
    const struct check_value *value = value_of(results, opcode), *end = results->values + results->n_values;
    for (; value && value < end && strcmp(value->form, opcode) == 0; value++)
        if (value->quantity == CHECK_LATENCY && value->value.relation == TABLE_EQUAL && gap_is_sure(value) &&
            !is_special(value))
            return true;
    return false;
}

// The partners of a value that only sums show.
static struct sums_partners find_unknown(struct arena *arena, const struct predictor *predictor,
                                         const struct check_results *results, const struct check_value *value) {
    struct sums_partners found = sums_find_partners(arena, predictor, value);
    size_t n = 0;
    for (size_t i = 0; i < found.n; i++)
        if (value_of(results, found.opcodes[i]) && !is_known(results, found.opcodes[i]))
            found.opcodes[n++] = found.opcodes[i];
    found.n = n;
    return found;
}

void sums_open(struct sums *sums, struct arena *arena, const struct predictor *predictor,
               const struct check_results *results) {
    struct sums_partners *unknown = ARENA_ARRAY(arena, struct sums_partners, results->n_values + 1);
    *sums = (struct sums){.results = results, .unknown = unknown};
    for (size_t v = 0; v < results->n_values; v++) {
        if (!gap_is_sure(&results->values[v]) || !sums_is_one(&results->values[v]))
            continue;
        unknown[v] = find_unknown(arena, predictor, results, &results->values[v]);
        for (size_t i = 0; i < unknown[v].n; i++)
            if (text_find(unknown[v].opcodes[i], sums->partners, sums->n_partners) == sums->n_partners)
                *ARENA_ADD(arena, sums->partners, sums->n_partners) = unknown[v].opcodes[i];
    }
    sums->n_partners = text_sort(sums->partners, sums->n_partners);
}

// "with MOVPQIto64rr and VPANDrr"
static const char *about_of(struct arena *arena, const struct sums_partners *partners) {
    struct text text = {.arena = arena};
    for (size_t i = 0; i < partners->n; i++)
        text_addf(&text, "%s%s", i == 0 ? "with " : i + 1 < partners->n ? ", " : " and ", partners->opcodes[i]);
    return partners->n ? text.data : "";
}

struct check_difference sums_describe(struct arena *arena, const struct sums *sums, const struct check_value *value,
                                      const struct predicted *predicted) {
    const struct sums_partners partners = sums->unknown[value - sums->results->values];
    const double before = value->value.sum - value->value.cycles;
    struct check_difference difference = {.value = value,
                                          .number = predicted->cycles,
                                          .sum = predicted->cycles + before,
                                          .about = about_of(arena, &partners)};
    difference.gap = (difference.sum - value->value.sum) / value->value.sum;
    const char **classes = ARENA_ARRAY(arena, const char *, partners.n + 1);
    const char *opcode = form_unit(arena, value->form);
    for (size_t i = 0; i < partners.n; i++)
        classes[i] = gap_class_name(arena, value_of(sums->results, partners.opcodes[i])->class_name);
    if (partners.n && text_find(opcode, sums->partners, sums->n_partners) == sums->n_partners)
        difference.shared = arena_printf(arena, "sum/%s/%+.0f", classes[0], round(difference.sum - value->value.sum));
    classes[partners.n] = gap_class_name(arena, value->class_name);
    struct text own = {.arena = arena};
    for (size_t i = 0, n = text_sort(classes, partners.n + 1); i < n; i++)
        text_addf(&own, "%s%s", i ? "+" : "sum/", classes[i]);
    difference.own = own.data;
    return difference;
}
