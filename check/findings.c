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
    if (one->n_differences != other->n_differences)
        return one->n_differences > other->n_differences ? -1 : 1;
    return strcmp(one->id, other->id);
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t count_classes(struct arena *arena, const struct check_difference *differences, size_t n) {
    const char **names = ARENA_ARRAY(arena, const char *, n);
    size_t n_classes = 0;
    for (size_t i = 0; i < n; i++)
        names[i] = differences[i].value->class_name;
    qsort(names, n, sizeof *names, compare_texts);
    for (size_t i = 0; i < n; i++)
        n_classes += i == 0 || strcmp(names[i], names[i - 1]) != 0;
    return n_classes;
}

struct range {
    double low, high;
};

static void widen(struct range *range, double number) {
    range->low = fmin(range->low, number);
    range->high = fmax(range->high, number);
}

// "3", or "3 to 5"
static const char *range_text(struct arena *arena, struct range range) {
    const char *low = arena_printf(arena, "%.3g", range.low), *high = arena_printf(arena, "%.3g", range.high);
    return strcmp(low, high) == 0 ? low : arena_printf(arena, "%s to %s", low, high);
}

// What all its differences are of: "latency", or "values".
static const char *subject(const struct check_finding *finding) {
    for (size_t i = 1; i < finding->n_differences; i++)
        if (finding->differences[i].value->quantity != finding->differences[0].value->quantity)
            return "values";
    switch (finding->differences[0].value->quantity) {
    case CHECK_LATENCY:
        return "latency";
    case CHECK_THROUGHPUT:
        return "reciprocal throughput";
    case CHECK_SLOTS:
        return "uops";
    case CHECK_BLOCK:
    case CHECK_N_QUANTITIES:
        break;
    }
    return "cycles";
}

static const char *summarize(struct arena *arena, const struct check_finding *finding) {
    struct range numbers = {INFINITY, -INFINITY}, values = numbers, before = numbers;
    bool is_bound = true;
    for (size_t i = 0; i < finding->n_differences; i++) {
        const struct check_difference *each = &finding->differences[i];
        widen(&numbers, each->number);
        widen(&values, each->value->value.cycles);
        widen(&before, each->before);
        is_bound &= each->value->value.relation == TABLE_AT_MOST;
    }
    const char *number = range_text(arena, numbers), *value = range_text(arena, values),
               *measured = is_bound ? arena_printf(arena, "measured at most %s", value)
                                    : arena_printf(arena, "measured %s", value);
    if (finding->question == CHECK_HARDWARE)
        return arena_printf(arena, "%s %s, earlier %s", subject(finding), value, number);
    const char *about = finding->differences[0].about;
    for (size_t i = 1; i < finding->n_differences; i++)
        about = strcmp(about, finding->differences[i].about) == 0 ? about : "";
    const char *text =
        arena_printf(arena, "%s%s%s %s, %s", about, *about ? ": " : "", subject(finding), number, measured);
    return finding->question == CHECK_MODEL ? arena_printf(arena, "%s, other model %s", text, range_text(arena, before))
                                            : text;
}

static struct check_finding make_finding(struct arena *arena, enum check_question question,
                                         const struct check_difference *differences, size_t n) {
    struct check_finding finding = {
        .question = question,
        .id = arena_printf(arena, "%s:%s", check_question_name(question), differences->cause),
        .differences = differences,
        .n_differences = n,
        .n_classes = count_classes(arena, differences, n),
    };
    for (size_t i = 0; i < n; i++) {
        finding.n_forms += i == 0 || strcmp(differences[i].value->form, differences[i - 1].value->form) != 0;
        finding.most = fmax(finding.most, fabs(differences[i].gap));
    }
    finding.summary = summarize(arena, &finding);
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
