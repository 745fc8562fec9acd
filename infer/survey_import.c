#include "infer/survey_import.h"

#include "base/bytes.h"
#include "base/index.h"
#include "base/text.h"
#include "check/predictor.h"
#include "infer/parts.h"
#include "infer/subject.h"
#include "infer/unexplained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct import {
    struct arena *arena;
    const struct import_request *request;
    const char *text; // of the base, without what an earlier import wrote
    struct subject *subjects;
    size_t n;
    struct number_end loads[2]; // parameters of plain loads
    unsigned n_loads;
};

// ---- text

static const char part_kind[] = "survey";

const char *import_kept_text(struct arena *arena, const char *text) {
    return parts_without(arena, text, part_kind);
}

static const char *loads_text(const struct import *import) {
    struct text text = {.arena = import->arena};
    text_add(&text, "");
    for (unsigned i = 0; i < import->n_loads; i++)
        text_addf(&text, "  %s: {value: %.4g, trust: measured, source: \"survey: plain loads\"}\n",
                  import->loads[i].name, import->loads[i].cycles);
    return text.data;
}

static const char *whole_text(struct import *import, size_t *n_rules) {
    struct numbers *numbers = ARENA_ARRAY(import->arena, struct numbers, 2 * import->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < import->n; i++) {
        struct numbers *all = &numbers[n++], *own = &numbers[n++];
        *all = import->subjects[i].numbers;
        *own = (struct numbers){.opcode = all->opcode, .has_own = all->has_own, .own = all->own};
        all->has_own = false; // a rule of its own: it holds between all that have it
    }
    const char *rules = numbers_text(import->arena, numbers, n, import->request->model->backend->major, n_rules);
    const char *text = parts_with(import->arena, import->text, "parameters:", part_kind, loads_text(import));
    return parts_with(import->arena, text, "forms:", part_kind, rules);
}

// ---- subjects

static bool is_same_form(const struct check_value *a, const struct check_value *b) {
    return strcmp(a->form, b->form) == 0;
}

static bool find_subjects(struct import *import, struct fail *fail) {
    const struct check_results *results = import->request->results;
    const struct model *model = import->request->model;
    const struct form *forms;
    struct index index = {.arena = import->arena};
    size_t n_forms;
    if (!model->backend->forms(model->cpu, import->arena, &forms, &n_forms, fail))
        return false;
    for (size_t i = 0; i < n_forms; i++)
        index_add(&index, bytes_hash(forms[i].name, strlen(forms[i].name)), i);
    for (size_t first = 0, end; first < results->n_values; first = end) {
        const struct check_value *value = &results->values[first];
        for (end = first + 1; end < results->n_values && is_same_form(value, &results->values[end]);)
            end++;
        for (size_t place = 0, i;
             (i = index_next(&index, bytes_hash(value->form, strlen(value->form)), &place)) != INDEX_END;)
            if (strcmp(forms[i].name, value->form) == 0 && strcmp(forms[i].opcode, value->form) == 0)
                *ARENA_ADD(import->arena, import->subjects, import->n) =
                    (struct subject){.form = &forms[i],
                                     .values = value,
                                     .n_values = end - first,
                                     .numbers = {.opcode = forms[i].opcode}};
    }
    return import->n > 0 || fail_set(fail, FAIL_INPUT, "no form of the survey is one of the base's LLVM");
}

static struct subject *subject_called(const struct import *import, const char *opcode) {
    size_t low = 0, high = import->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(import->subjects[middle].numbers.opcode, opcode) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < import->n && strcmp(import->subjects[low].numbers.opcode, opcode) == 0;
    return is_found ? &import->subjects[low] : NULL;
}

// ---- sums of two latencies

struct sum {
    struct subject *subject;
    const struct check_value *value;
};

static int compare_sums(const void *a, const void *b) {
    const struct sum *one = a, *other = b;
    int order = (one->value->value.sum > other->value->value.sum) - (one->value->value.sum < other->value->value.sum);
    return order ? order : check_value_compare(one->value, other->value);
}

// What leads back in the value's program, and is not known by itself; null: nothing, or several.
static struct subject *partner_of(const struct import *import, const struct subject_view *view, const struct sum *sum) {
    struct subject *found = NULL;
    for (size_t p = 0; p < sum->value->value.n_parts; p++) {
        struct block block = {0};
        struct fail fail = {0};
        const char *code = sum->value->value.parts[p].code;
        if (!code || !predictor_describe(view->predictor, view->arena, code, &block, &fail))
            return NULL;
        for (unsigned i = 0; i < block.n_insns; i++) {
            struct subject *other = subject_called(import, block.insns[i].opcode);
            if (!other || other == sum->subject || other->is_known || other->is_settled || other == found ||
                !block.insns[i].n_reads) // what reads nothing leads nothing back
                continue;
            if (found)
                return NULL;
            found = other;
        }
    }
    return found;
}

// The model with what is found so far.
struct stage {
    struct arena arena;
    struct model model;
    struct predictor predictor;
    struct subject_view view;
};

static bool stage_open(struct stage *stage, struct import *import, struct fail *fail) {
    size_t n_rules;
    const char *text = whole_text(import, &n_rules);
    *stage = (struct stage){.model = {0}};
    if (!model_open_cpu_text(&stage->model, &stage->arena, import->request->llvm, import->request->name, text, fail))
        return false;
    predictor_open(&stage->predictor, &stage->arena, &stage->model);
    stage->predictor.only_cycles = true;
    stage->view = (struct subject_view){&stage->arena, import->arena, &stage->predictor, stage->model.own, 0};
    struct cpu_recipe add;
    const struct subject *plain = subject_called(import, "ADD64rr");
    if (plain && subject_recipe(&stage->view, plain, &add) && add.n_uses)
        stage->view.scalar_pipes = add.uses[0].pipes;
    return true;
}

static void stage_close(struct stage *stage) {
    model_close(&stage->model);
    arena_free(&stage->arena);
}

// The partner's part of a sum: half of it, or what the same operation in its VEX encoding has.
static double half_of(const struct import *import, const struct subject_view *view, const struct subject *partner,
                      double both) {
    const struct subject *twin = subject_called(import, arena_printf(view->arena, "V%s", partner->numbers.opcode));
    bool has_twin = twin && twin->is_settled && twin->numbers.has_latency;
    return has_twin && twin->numbers.latency <= both ? twin->numbers.latency : floor(both / 2);
}

// Whether the survey has all that leads back in the value's program: else it is the base's, which may be wrong.
static bool knows_ways_back(const struct import *import, const struct subject_view *view, const struct sum *sum) {
    for (size_t p = 0; p < sum->value->value.n_parts; p++) {
        struct block block = {0};
        struct fail fail = {0};
        const char *code = sum->value->value.parts[p].code;
        if (!code || !predictor_describe(view->predictor, view->arena, code, &block, &fail))
            return false;
        for (unsigned i = 0; i < block.n_insns; i++) {
            const struct subject *other = subject_called(import, block.insns[i].opcode);
            if (block.insns[i].n_reads && !(other && (other->is_known || other->is_settled)))
                return false;
        }
    }
    return true;
}

// Whether a chain through a register was measured that takes less than so long.
static bool has_faster_chain(const struct subject *subject, double latency) {
    for (size_t i = 0; i < subject->n_values; i++) {
        const struct check_value *value = &subject->values[i];
        const bool is_of_register =
            value->quantity == CHECK_LATENCY && value->value.sum <= 0 && !strchr(value->source, '.');
        if (is_of_register && table_is_stable(&value->value) && value->value.high < latency)
            return true;
    }
    return false;
}

// Sets the two parts of a sum. Each has half where neither is known: only the sum counts wherever both follow each
// other in a circle. Where the survey has not what leads back, that may be wrong in the base: then no chain of the form
// shows less.
static void settle(const struct import *import, const struct subject_view *view, const struct sum *sum,
                   struct subject *partner) {
    struct predicted predicted = predictor_predict(view->predictor, sum->value);
    double missing = sum->value->value.cycles - predicted.cycles;
    struct cpu_recipe own, back;
    if (!predicted.is_known || !subject_recipe(view, sum->subject, &own) ||
        (partner && !subject_recipe(view, partner, &back)) ||
        (!partner && has_faster_chain(sum->subject, own.latency + missing) && !knows_ways_back(import, view, sum)))
        return;
    sum->subject->is_settled = true;
    if (!partner) {
        subject_change_latency(view, sum->subject, missing);
        return;
    }
    double both = own.latency + back.latency + missing, half = half_of(import, view, partner, both);
    partner->is_settled = true;
    subject_change_latency(view, partner, half - back.latency);
    subject_change_latency(view, sum->subject, both - half - own.latency);
}

static bool is_sum(const struct check_value *value) {
    return value->quantity == CHECK_LATENCY && value->value.sum > 0 && table_is_stable(&value->value) &&
           value->value.relation == TABLE_AT_MOST && !value->value.has_two_speeds &&
           strcmp(value->destination, "memory") != 0 && strcmp(value->source, "same") != 0;
}

// Shortest sums first: those of plain moves.
static struct sum *list_sums(struct import *import, size_t *n) {
    struct sum *sums = NULL;
    *n = 0;
    for (size_t i = 0; i < import->n; i++)
        for (size_t v = 0; v < import->subjects[i].n_values && !import->subjects[i].is_known; v++)
            if (is_sum(&import->subjects[i].values[v]))
                *ARENA_ADD(import->arena, sums, *n) =
                    (struct sum){&import->subjects[i], &import->subjects[i].values[v]};
    if (*n)
        qsort(sums, *n, sizeof *sums, compare_sums);
    return sums;
}

// Whether the file has that parameter: other lines may name it as a source.
static bool is_stated(const struct import *import, const char *parameter) {
    return strstr(import->text, arena_printf(import->arena, "\n  %s:", parameter));
}

static int compare_cycles(const void *a, const void *b) {
    const double *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

// The load latency of vector registers: the one that most sums of operations with a load show, whose own latencies and
// ways back are known by now. False: it is stated, or nothing shows it.
static bool take_vector_load(struct import *import, const struct subject_view *view) {
    static const char parameter[] = "load-latency-vector";
    double *shown = NULL;
    size_t n_shown = 0, n_predicted = 0;
    for (size_t i = 0; i < import->n && !is_stated(import, parameter); i++)
        for (size_t v = 0; v < import->subjects[i].n_values && import->subjects[i].is_known; v++) {
            const struct check_value *value = &import->subjects[i].values[v];
            struct cpu_recipe recipe;
            struct predicted predicted = {.is_known = false};
            if (is_sum(value) && strstr(value->source, ".base") && import->subjects[i].form->may_load &&
                subject_recipe(view, &import->subjects[i], &recipe) && recipe.is_vector &&
                knows_ways_back(import, view, &(struct sum){&import->subjects[i], value}))
                predicted = predictor_predict(view->predictor, value);
            if (!predicted.is_known)
                continue;
            n_predicted += lround(value->value.cycles - predicted.cycles) == 0;
            *ARENA_ADD(import->arena, shown, n_shown) =
                round(recipe.load_latency + value->value.cycles - predicted.cycles);
        }
    if (2 * n_predicted >= n_shown) // of several in the base, by width, each is right
        return false;
    qsort(shown, n_shown, sizeof *shown, compare_cycles);
    import->loads[import->n_loads++] = (struct number_end){parameter, shown[n_shown / 2]};
    return true;
}

// What leads back from operations whose own latencies are known has the rest of their sums: that of most of them. So
// does what leads back from hundreds of masked operations, whatever part of it is their wait for the mask: only sums
// count.
static void take_ways_back(const struct import *import, const struct subject_view *view) {
    enum { MOST = 64, FEWEST = 3 };
    struct shown {
        unsigned latencies[MOST]; // by cycles: how many sums show that
        unsigned n;
    } *all = ARENA_ARRAY(view->arena, struct shown, import->n);
    for (size_t i = 0; i < import->n; i++)
        for (size_t v = 0; v < import->subjects[i].n_values && import->subjects[i].is_known; v++) {
            const struct sum sum = {&import->subjects[i], &import->subjects[i].values[v]};
            struct cpu_recipe back;
            struct subject *partner =
                is_sum(sum.value) && !strchr(sum.value->source, '.') ? partner_of(import, view, &sum) : NULL;
            if (!partner || !subject_recipe(view, partner, &back))
                continue;
            const struct predicted predicted = predictor_predict(view->predictor, sum.value);
            const double latency = floor(back.latency + sum.value->value.cycles - predicted.cycles + 0.2);
            struct shown *shown = &all[partner - import->subjects];
            shown->n++;
            if (predicted.is_known && latency >= 0 && latency < MOST)
                shown->latencies[(unsigned)latency]++;
        }
    for (size_t i = 0; i < import->n; i++) {
        struct cpu_recipe back;
        unsigned usual = 0;
        for (unsigned l = 1; l < MOST; l++)
            usual = all[i].latencies[l] > all[i].latencies[usual] ? l : usual;
        if (all[i].latencies[usual] < FEWEST || 2 * all[i].latencies[usual] <= all[i].n ||
            !subject_recipe(view, &import->subjects[i], &back))
            continue;
        import->subjects[i].is_settled = true;
        subject_change_latency(view, &import->subjects[i], usual - back.latency);
    }
}

// Which sums are looked at, one kind after the other: what a kind shows is in the model of the next. Again: pipes may
// have limited a chain that was predicted with latencies too short.
enum sum_kind {
    SUMS_OF_KNOWN,
    SUMS_OF_TWO,
    SUMS_OF_TWO_AGAIN,
    SUMS_WITH_KNOWN,
    SUMS_WITH_UNKNOWN,
    SUMS_AGAIN,
    N_SUM_KINDS
};

// Whether each of the two leads back in a sum of the other.
static bool are_mutual(const struct import *import, const struct subject_view *view, const struct sum *sums, size_t n,
                       const struct subject *one, const struct subject *other) {
    for (size_t i = 0; i < n; i++)
        if (sums[i].subject == other && partner_of(import, view, &sums[i]) == one)
            return true;
    return false;
}

static void take_sum(const struct import *import, const struct subject_view *view, const struct sum *sums, size_t n,
                     size_t i, enum sum_kind kind) {
    bool is_again = kind == SUMS_OF_TWO_AGAIN || kind == SUMS_AGAIN;
    if (sums[i].subject->is_settled != is_again)
        return;
    if (is_again) {
        settle(import, view, &sums[i], NULL);
        return;
    }
    struct subject *partner = partner_of(import, view, &sums[i]);
    bool is_wanted = kind == SUMS_OF_TWO       ? partner && are_mutual(import, view, sums, n, sums[i].subject, partner)
                     : kind == SUMS_WITH_KNOWN ? !partner
                                               : true;
    if (is_wanted)
        settle(import, view, &sums[i], partner);
}

static bool take_sums(struct import *import, struct fail *fail) {
    size_t n;
    struct sum *sums = list_sums(import, &n);
    for (enum sum_kind kind = SUMS_OF_KNOWN; kind < N_SUM_KINDS; kind++) {
        struct stage stage;
        if (!stage_open(&stage, import, fail)) {
            stage_close(&stage);
            return false;
        }
        if (kind == SUMS_WITH_KNOWN && take_vector_load(import, &stage.view)) {
            stage_close(&stage);
            if (!stage_open(&stage, import, fail))
                return false;
        }
        if (kind == SUMS_OF_KNOWN)
            take_ways_back(import, &stage.view);
        for (size_t i = 0; i < n && kind != SUMS_OF_KNOWN; i++)
            take_sum(import, &stage.view, sums, n, i, kind);
        stage_close(&stage);
    }
    return true;
}

// ---- sources that come later

// The sum of one kind of source that is missing least: base and index are read together.
static void take_late(const struct import *import, const struct subject_view *view, struct subject *subject,
                      bool is_address) {
    const struct check_value *found = NULL;
    double least = 0;
    for (size_t v = 0; v < subject->n_values; v++) {
        const struct check_value *value = &subject->values[v];
        const struct sum sum = {subject, value};
        if (!is_sum(value) || strcmp(value->destination, "0") != 0 || subject_is_of_address(value) != is_address ||
            (found && !is_address) || !knows_ways_back(import, view, &sum))
            continue;
        const struct predicted predicted = predictor_predict(view->predictor, value);
        const double missing = value->value.cycles - predicted.cycles;
        if (!predicted.is_known || (!is_address && !subject_differs(value, value->value.cycles, predicted.cycles)) ||
            (found && missing >= least))
            continue;
        found = value;
        least = missing;
    }
    if (found && least > 0)
        subject_delay_source(view, subject, found, least);
}

// Where all that leads back has its own numbers by now, the rest of a sum is the form's: its result comes later from
// that source, such as what is loaded, or a mask.
static bool take_all_late(struct import *import, struct fail *fail) {
    for (unsigned pass = 0; pass < 2; pass++) {
        struct stage stage;
        bool is_open = stage_open(&stage, import, fail);
        for (size_t i = 0; i < import->n && is_open; i++)
            take_late(import, &stage.view, &import->subjects[i], pass == 0);
        stage_close(&stage);
        if (!is_open)
            return false;
    }
    return true;
}

// ---- the whole

typedef void take_function(const struct subject_view *view, struct subject *subject);

static bool take(struct import *import, take_function *function, struct fail *fail) {
    struct stage stage;
    bool is_open = stage_open(&stage, import, fail);
    for (size_t i = 0; i < import->n && is_open; i++)
        function(&stage.view, &import->subjects[i]);
    stage_close(&stage);
    return is_open;
}

// The latency of a plain load, from its address.
static void take_load(struct import *import, const char *opcode, const char *parameter) {
    struct subject *subject = subject_called(import, opcode);
    for (size_t i = 0; subject && i < subject->n_values && !is_stated(import, parameter); i++) {
        const struct check_value *value = &subject->values[i];
        if (value->quantity != CHECK_LATENCY || !table_is_single(&value->value) || !strstr(value->source, ".base"))
            continue;
        import->loads[import->n_loads++] = (struct number_end){parameter, round(value->value.cycles)};
        return;
    }
}

static bool count(struct import *import, struct import_count *found, struct fail *fail) {
    struct stage stage;
    bool is_open = stage_open(&stage, import, fail);
    *found = (struct import_count){.n = 0};
    for (size_t i = 0; i < import->request->results->n_values && is_open; i++) {
        const struct check_value *value = &import->request->results->values[i];
        const struct unexplained_value at = unexplained_compare(&stage.predictor, value);
        found->n_unstable += value->value.is_known && !table_is_stable(&value->value);
        found->n += at.is_compared;
        found->n_off += at.is_off;
        found->n_above += at.is_off && at.off > 0;
    }
    stage_close(&stage);
    return is_open;
}

bool import_run(struct arena *arena, const struct import_request *request, struct import_result *result,
                struct fail *fail) {
    struct import import = {.arena = arena, .request = request, .text = import_kept_text(arena, request->text)};
    *result = (struct import_result){.text = NULL};
    if (!parts_can_hold(import.text, "parameters:", fail) || !parts_can_hold(import.text, "forms:", fail) ||
        !find_subjects(&import, fail) || !count(&import, &result->before, fail))
        return false;
    take_load(&import, "MOV64rm", "load-latency");
    if (!take(&import, subject_take_latencies, fail) || !take_sums(&import, fail) || !take_all_late(&import, fail) ||
        !take(&import, subject_take_slots, fail) || !take(&import, subject_take_throughput, fail) ||
        !take(&import, subject_take_memory, fail) || !count(&import, &result->after, fail))
        return false;
    result->text = whole_text(&import, &result->n_rules);
    for (size_t i = 0; i < import.n; i++)
        result->n_opcodes += numbers_are_any(&import.subjects[i].numbers);
    return true;
}
