#include "repair/repair.h"

#include "base/bytes.h"
#include "base/text.h"
#include "check/findings.h"
#include "check/forwarding.h"
#include "check/gap.h"
#include "check/predictor.h"
#include "check/sums.h"
#include "repair/repair_limits.h"
#include "repair/repair_pipes.h"
#include "repair/repair_verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t count_differing(const struct repair *repair, const struct repair_member *member) {
    size_t n = 0;
    for (size_t i = member->first; i < member->end; i++)
        n += repair->gaps[i] > 0 && repair_can_explain(&repair->values[i]) && repair_is_taken(repair, member, i);
    return n;
}

// Notes the opcodes whose latencies a search has left to the model. A later one may have changed some of them.
static void note_bounded(struct repair *repair, const struct repair_search *search) {
    for (size_t i = 0; search->leaves_latencies && i < search->n_opcodes; i++)
        if (text_find(search->opcodes[i], repair->bounded, repair->n_bounded) == repair->n_bounded)
            *ARENA_ADD(repair->arena, repair->bounded, repair->n_bounded) =
                arena_strdup(repair->arena, search->opcodes[i]);
}

// Those of them that have the model's latencies at the end.
static size_t count_bounded(const struct repair *repair, const struct repair_result *result) {
    size_t n = 0;
    for (size_t i = 0; i < result->n_changes; i++) {
        const struct repair_change *change = &result->changes[i];
        const struct repair_numbers kept = repair_numbers_with_latencies(&change->after, &change->before);
        n += text_find(change->opcode, repair->bounded, repair->n_bounded) < repair->n_bounded &&
             repair_numbers_are_equal(&change->after, &kept);
    }
    return n;
}

// Repairs forms of one class with the same numbers: all of them at once, then those that still differ.
static void repair_group(struct repair *repair, const struct repair_member *members, size_t n) {
    struct arena arena = {0};
    size_t n_differ = 0;
    for (size_t i = 0; i < n; i++)
        n_differ += count_differing(repair, &members[i]);
    if (n_differ == 0)
        return;
    struct repair_search search = repair_open_search(&arena, repair, members, n, &members->numbers);
    struct repair_numbers of_class = members->numbers;
    // At the end, what makes a value worse is taken back for the whole opcode.
    search.is_careful = strcmp(members->opcode, members[n - 1].opcode) == 0;
    if (search.n_values && repair_search_run(&search)) {
        repair_add_rule(repair, &search, &members->numbers, members, n, true);
        of_class = search.best;
    }
    note_bounded(repair, &search);
    for (size_t i = 0, end; n > 1 && i < n; i = end) {
        for (end = i + 1; end < n && strcmp(members[end].opcode, members[i].opcode) == 0;)
            end++;
        struct repair_search one = repair_open_search(&arena, repair, &members[i], end - i, &of_class);
        size_t n_before;
        struct repair_cost cost;
        one.is_careful = true;
        if (!one.n_values || !repair_evaluate(&one, &of_class, &cost, NULL) || !cost.n_differ)
            continue;
        n_before = cost.n_differ;
        if (repair_search_run(&one) && (one.cost.n_worse < cost.n_worse || one.cost.n_differ < n_before))
            repair_add_rule(repair, &one, &of_class, &members[i], end - i, false);
        note_bounded(repair, &one);
    }
    arena_free(&arena);
}

// Whether the repair does not see an opcode, by a hash of its name.
static bool is_held_out(const char *form, double share) {
    uint64_t hash = bytes_hash(form, form_unit_length(form));
    return (double)(hash >> 40) < share * (double)(1 << 24);
}

static void open_lists(struct repair *repair) {
    repair->base = ARENA_ARRAY(repair->arena, struct predicted, repair->n_values);
    repair->gaps = ARENA_ARRAY(repair->arena, double, repair->n_values);
    repair->worst_gaps = ARENA_ARRAY(repair->arena, double, repair->n_values);
    repair->allowed_below = ARENA_ARRAY(repair->arena, double, repair->n_values);
    repair->held_out = ARENA_ARRAY(repair->arena, double, repair->n_values);
    repair->are_other_code = ARENA_ARRAY(repair->arena, bool, repair->n_values);
    repair->follow = ARENA_ARRAY(repair->arena, bool, repair->n_values);
    repair->is_mended = ARENA_ARRAY(repair->arena, bool, repair->n_values);
}

// Predicts a value by the model as it is, and counts it. Returns its gap; below 0: it is not compared. `cheap` leaves
// out what limits the programs: that is asked only where there is a gap.
static double judge_base(struct repair *repair, size_t i, struct predictor *cheap, struct predictor *predictor,
                         struct check_value *value, struct repair_count *count) {
    if (value->is_for_hardware_only)
        return -1;
    if (!gap_is_sure(value)) {
        count->n_unstable += value->value.is_known;
        return -1;
    }
    repair->base[i] = predictor_predict(cheap, value);
    if (!repair->base[i].is_known)
        return -1;
    forwarding_accept(value, repair->base[i].cycles);
    const double gap = gap_find(value, &repair->base[i]);
    if (gap > 0)
        repair->base[i] = predictor_predict(predictor, value);
    repair->worst_gaps[i] = fmax(gap, repair_nearest_gap(repair->request->model->machine, value, &repair->base[i]));
    repair->allowed_below[i] = sums_is_one(value) ? fmax(gap_below(value, &repair->base[i]), GAP_LEAST_OF_SUM)
                                                  : gap_allowed_below(value, &repair->base[i]);
    value->is_kept_only = value->quantity == CHECK_SLOTS && !repair->request->wants_slots;
    if (value->is_kept_only) {
        count->n_slots += gap > 0;
        return gap;
    }
    count->n_sums_before += sums_missing(value, &repair->base[i]) > 0;
    count->n_compared++;
    count->n_differ_before += gap > 0;
    return gap;
}

static void predict_base(struct repair *repair, struct repair_result *result) {
    struct predictor predictor, cheap;
    struct check_difference *differences = NULL;
    size_t n_differences = 0;
    predictor_open(&predictor, repair->arena, repair->request->model);
    predictor_open(&cheap, repair->arena, repair->request->model);
    cheap.only_cycles = true;
    open_lists(repair);
    struct check_value *values = ARENA_ARRAY(repair->arena, struct check_value, repair->n_values);
    for (size_t i = 0; i < repair->n_values; i++) {
        struct check_value *value = &values[i];
        *value = repair->values[i];
        const bool is_out = is_held_out(value->form, repair->request->held_out);
        const double gap = judge_base(repair, i, &cheap, &predictor, value, is_out ? &result->held_out : &result->seen);
        repair->gaps[i] = is_out ? -1 : gap;
        repair->held_out[i] = is_out ? gap : -1;
        if (gap > 0 && !is_out && !value->is_kept_only)
            *ARENA_ADD(repair->arena, differences, n_differences) =
                gap_describe(repair->arena, value, &repair->base[i]);
    }
    repair->values = values;
    check_find(repair->arena, CHECK_GAP, differences, n_differences, &result->findings_before,
               &result->n_findings_before);
}

// ---- what became of each opcode

static int compare_opcodes(const void *a, const void *b) {
    const struct repair_member *one = a, *other = b;
    int order = strcmp(one->opcode, other->opcode);
    return order ? order : strcmp(one->form, other->form);
}

static int compare_changes(const void *a, const void *b) {
    return strcmp(((const struct repair_change *)a)->opcode, ((const struct repair_change *)b)->opcode);
}

static void find_changes(struct repair *repair, struct repair_result *result) {
    struct repair_change *changes = NULL;
    size_t n = 0;
    if (repair->n_members)
        qsort(repair->members, repair->n_members, sizeof *repair->members, compare_opcodes);
    for (size_t first = 0, end; first < repair->n_members; first = end) {
        const struct repair_member *member = &repair->members[first];
        struct repair_change change = {member->opcode, member->numbers, member->numbers,
                                       false,          false,           member->class_name};
        for (end = first + 1; end < repair->n_members && strcmp(repair->members[end].opcode, member->opcode) == 0;
             end++)
            change.depends_on_operands |= strcmp(repair->members[end].key, member->key) != 0;
        repair_apply_rules(repair, change.opcode, &change.after);
        *ARENA_ADD(repair->arena, changes, n) = change;
    }
    for (size_t i = 0; i < repair->n_rules; i++)
        for (size_t k = 0; repair->rules[i].is_spread && k < repair->rules[i].n_opcodes; k++) {
            const struct repair_rule *rule = &repair->rules[i];
            *ARENA_ADD(repair->arena, changes, n) =
                (struct repair_change){rule->opcodes[k], rule->before, rule->after, false, true, rule->class_name};
        }
    if (n)
        qsort(changes, n, sizeof *changes, compare_changes);
    result->changes = changes;
    result->n_changes = n;
    result->dispatch_width = repair->dispatch_width;
}

// What leads back in others' chains comes first; forms with memory come behind those with registers, whose pipes may be
// theirs.
enum stage { LEADS_BACK, LEADS_BACK_ALONE, LEADS_BACK_UNKNOWN, REGISTERS, MEMORY, N_STAGES };

static enum stage stage_of(const struct repair *repair, const struct repair_member *members, size_t n) {
    switch (repair_leads_back(repair, members, n)) {
    case REPAIR_LEADS_KNOWN:
        return LEADS_BACK;
    case REPAIR_LEADS_ALONE:
        return LEADS_BACK_ALONE;
    case REPAIR_LEADS_UNKNOWN:
        return LEADS_BACK_UNKNOWN;
    case REPAIR_LEADS_NOWHERE:
        break;
    }
    return repair_pipes_has_memory(repair->pipes, members->form) ? MEMORY : REGISTERS;
}

static void count_rules(const struct repair *repair, struct repair_result *result) {
    const char **classes = ARENA_ARRAY(repair->arena, const char *, repair->n_rules);
    size_t n = 0;
    for (const struct repair_rule *rule = repair->rules; rule < repair->rules + repair->n_rules; rule++) {
        if (!rule->n_opcodes)
            continue;
        *(rule->is_of_class ? &result->n_class_rules : &result->n_form_rules) += 1;
        result->n_split_opcodes += rule->is_split ? rule->n_opcodes : 0;
        result->n_guessed_opcodes += rule->is_guess ? rule->n_opcodes : 0;
        if (rule->is_guess)
            classes[n++] = rule->class_name;
    }
    result->n_guessed_classes = text_sort(classes, n);
    result->n_idioms = repair_count_idioms(repair);
}

bool repair_run(struct arena *arena, const struct repair_request *request, struct repair_result *result,
                struct fail *fail) {
    struct repair repair = {
        .arena = arena, .request = request, .values = request->results->values, .n_values = request->results->n_values};
    *result = (struct repair_result){.overlay = ""};
    predict_base(&repair, result);
    repair_find_members(&repair);
    if (!repair_find_unseen(&repair, fail))
        return false;
    repair_find_commonness(&repair);
    repair.pipes = repair_pipes_learn(&repair);
    repair_find_width(&repair);
    if (!repair_find_idioms(&repair, fail))
        return false;
    repair_find_sums(&repair);
    size_t n_done = 0;
    for (int stage = 0; stage < N_STAGES; stage++)
        for (size_t first = 0, end; first < repair.n_members; first = end) {
            end = repair_end_of_group(&repair, first);
            if (stage_of(&repair, &repair.members[first], end - first) != (enum stage)stage)
                continue;
            lab_say_measuring(request->listener, n_done += end - first, repair.n_members);
            repair_group(&repair, &repair.members[first], end - first);
            repair_settle_sums(&repair, &repair.members[first], end - first);
        }
    repair_by_bounds(&repair);
    if (!repair_raise_sums(&repair, fail))
        return false;
    lab_say_measuring(request->listener, repair.n_members + 1, repair.n_members);
    const char *about = arena_printf(arena, "\"%s, repaired by measurements of %s\"", request->model->machine->id,
                                     request->results->machine);
    if (!repair_verify(&repair, about, result, fail))
        return false;
    count_rules(&repair, result);
    find_changes(&repair, result);
    result->n_bounded_opcodes = count_bounded(&repair, result);
    return true;
}
