#include "check/findings.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *check_question_name(enum check_question question) {
    static const char *const names[CHECK_N_QUESTIONS] = {"gap", "model", "hardware"};
    return names[question];
}

static int compare_shared(const void *a, const void *b) {
    const struct check_difference *one = *(struct check_difference *const *)a,
                                  *other = *(struct check_difference *const *)b;
    int order = strcmp(one->shared, other->shared);
    return order ? order : strcmp(one->value->class_name, other->value->class_name);
}

// Decides for each difference which of its causes counts: the shared one where enough classes have it.
static void choose_causes(struct arena *arena, struct check_difference *differences, size_t n) {
    struct check_difference **list = ARENA_ARRAY(arena, struct check_difference *, n);
    size_t n_shared = 0;
    for (size_t i = 0; i < n; i++) {
        differences[i].cause = differences[i].own;
        if (differences[i].shared)
            list[n_shared++] = &differences[i];
    }
    if (n_shared)
        qsort(list, n_shared, sizeof(struct check_difference *), compare_shared);
    for (size_t first = 0, end; first < n_shared; first = end) {
        size_t n_classes = 0;
        for (end = first; end < n_shared && strcmp(list[end]->shared, list[first]->shared) == 0; end++)
            n_classes += end == first || strcmp(list[end]->value->class_name, list[end - 1]->value->class_name) != 0;
        for (size_t i = first; n_classes >= CHECK_SHARED_CLASSES && i < end; i++)
            list[i]->cause = list[i]->shared;
    }
}

static int compare_causes(const void *a, const void *b) {
    const struct check_difference *one = a, *other = b;
    int order = strcmp(one->cause, other->cause);
    return order ? order : check_value_compare(one->value, other->value);
}

static int compare_findings(const void *a, const void *b) {
    const struct check_finding *one = a, *other = b;
    if (one->is_of_slots != other->is_of_slots)
        return one->is_of_slots ? 1 : -1;
    if (one->is_of_sums != other->is_of_sums)
        return one->is_of_sums ? 1 : -1;
    if (one->n_differences != other->n_differences)
        return one->n_differences > other->n_differences ? -1 : 1;
    return strcmp(one->id, other->id);
}

static size_t count_classes(struct arena *arena, const struct check_difference *differences, size_t n) {
    const char **names = ARENA_ARRAY(arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        names[i] = differences[i].value->class_name;
    return text_sort(names, n);
}

static const char *subject(struct arena *arena, const struct check_difference *difference,
                           enum check_question question) {
    const struct check_value *value = difference->value;
    switch (value->quantity) {
    case CHECK_LATENCY:
        return "latency";
    case CHECK_THROUGHPUT:
        return value->streams == 1  ? "cycles of one stream"
               : value->streams > 1 ? arena_printf(arena, "cycles of each of %u streams", value->streams)
                                    : "reciprocal throughput";
    case CHECK_SLOTS:
        return question == CHECK_HARDWARE ? "dispatch slots" : difference->are_slots ? "slots" : "uops";
    case CHECK_BLOCK:
    case CHECK_N_QUANTITIES:
        break;
    }
    return "cycles";
}

// Whether two differences read alike: the same numbers to the digits that are shown.
static bool are_alike(const struct check_difference *a, const struct check_difference *b) {
    static const double share = 0.01;
    const struct table_value *x = &a->value->value, *y = &b->value->value;
    return a->value->quantity == b->value->quantity && a->value->streams == b->value->streams &&
           x->relation == y->relation && (a->sum > 0) == (b->sum > 0) && strcmp(a->about, b->about) == 0 &&
           fabs(a->number - b->number) <= share * fabs(b->number) &&
           fabs(x->cycles - y->cycles) <= share * fabs(y->cycles);
}

// Whether a value can speak for the finding: of a cause that is a latency, a measured latency if there is one.
static bool can_be_typical(const struct check_finding *finding, const struct check_difference *difference) {
    bool has_latency = false;
    for (size_t i = 0; i < finding->n_differences; i++)
        has_latency |= finding->differences[i].value->quantity == CHECK_LATENCY;
    return !has_latency || difference->value->quantity == CHECK_LATENCY;
}

// Returns the difference that most others are like, and their number, itself included.
static const struct check_difference *most_common(const struct check_finding *finding, size_t *n_alike) {
    enum { MOST_TRIED = 64 };
    const struct check_difference *best = finding->differences;
    *n_alike = 0;
    for (size_t i = 0, n_tried = 0; i < finding->n_differences && n_tried < MOST_TRIED; i++) {
        size_t n = 0;
        if (!can_be_typical(finding, &finding->differences[i]))
            continue;
        n_tried++;
        for (size_t k = 0; k < finding->n_differences; k++)
            n += are_alike(&finding->differences[k], &finding->differences[i]);
        if (n > *n_alike) {
            *n_alike = n;
            best = &finding->differences[i];
        }
    }
    return best;
}

static const char *summarize(struct arena *arena, const struct check_finding *finding, size_t n_alike) {
    const struct check_difference *typical = finding->typical;
    const struct check_value *value = typical->value;
    const char *often = n_alike == finding->n_differences
                            ? ""
                            : arena_printf(arena, " (%zu of %s)", n_alike,
                                           text_count(arena, finding->n_differences, "value")),
               *bound = check_value_is_bound(value) ? "at most " : "",
               *what = subject(arena, typical, finding->question);
    enum { DIGITS = 3 };
    if (typical->sum > 0)
        return arena_printf(arena, "%s%slatencies together %s, measured %s%s", typical->about,
                            *typical->about ? ": " : "",
                            text_number_beside(arena, typical->sum, value->value.sum, DIGITS),
                            text_number_beside(arena, value->value.sum, typical->sum, DIGITS), often);
    const char *measured = text_number_beside(arena, value->value.cycles, typical->number, DIGITS),
               *number = text_number_beside(arena, typical->number, value->value.cycles, DIGITS);
    if (finding->question == CHECK_HARDWARE)
        return arena_printf(arena, "%s %s%s, earlier %s%s", what, bound, measured, number, often);
    // The model's number is made of the same programs as the value: that of a chain with a way back has the way back.
    const char *both = value->quantity == CHECK_LATENCY ? bound : "";
    const char *other = finding->question == CHECK_MODEL
                            ? arena_printf(arena, ", other model %s",
                                           text_number_beside(arena, typical->before, typical->number, DIGITS))
                            : "";
    return arena_printf(arena, "%s%s%s %s%s, measured %s%s%s%s", typical->about, *typical->about ? ": " : "", what,
                        both, number, bound, measured, other, often);
}

static struct check_finding make_finding(struct arena *arena, enum check_question question,
                                         const struct check_difference *differences, size_t n) {
    struct check_finding finding = {
        .question = question,
        .id = arena_printf(arena, "%s:%s", check_question_name(question), differences->cause),
        .differences = differences,
        .n_differences = n,
        .n_classes = count_classes(arena, differences, n),
        .is_of_sums = differences->sum > 0,
        .is_of_slots = question != CHECK_HARDWARE && differences->value->quantity == CHECK_SLOTS,
    };
    for (size_t i = 0; i < n; i++) {
        finding.n_forms += i == 0 || strcmp(differences[i].value->form, differences[i - 1].value->form) != 0;
        finding.most = fmax(finding.most, fabs(differences[i].gap));
    }
    size_t n_alike;
    finding.typical = most_common(&finding, &n_alike);
    finding.summary = summarize(arena, &finding, n_alike);
    return finding;
}

void check_find(struct arena *arena, enum check_question question, struct check_difference *differences, size_t n,
                const struct check_finding **findings, size_t *n_findings) {
    struct check_finding *list = NULL;
    size_t n_list = 0;
    choose_causes(arena, differences, n);
    if (n)
        qsort(differences, n, sizeof *differences, compare_causes);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && strcmp(differences[end].cause, differences[first].cause) == 0;)
            end++;
        struct check_finding finding = make_finding(arena, question, &differences[first], end - first);
        *ARENA_ADD(arena, list, n_list) = finding;
    }
    if (n_list)
        qsort(list, n_list, sizeof *list, compare_findings);
    *findings = list;
    *n_findings = n_list;
}
