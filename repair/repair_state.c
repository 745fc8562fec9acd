#include "repair/repair_state.h"

#include "base/text.h"
#include "repair/repair_pipes.h"

#include <math.h>
#include <string.h>

enum { MOST_VALUES_TRIED = 64 };

void repair_apply_rules(const struct repair *repair, const char *opcode, struct repair_numbers *numbers) {
    for (size_t i = 0; i < repair->n_rules; i++) {
        const struct repair_rule *rule = &repair->rules[i];
        if (text_find(opcode, rule->opcodes, rule->n_opcodes) < rule->n_opcodes)
            repair_rule_apply(rule, numbers);
    }
}

size_t repair_end_of_group(const struct repair *repair, size_t first) {
    size_t end = first + 1;
    while (end < repair->n_members && strcmp(repair->members[end].key, repair->members[first].key) == 0)
        end++;
    return end;
}

// ---- rules

const char *repair_describe_value(const struct repair *repair, const struct check_value *value, double predicted) {
    struct arena *arena = repair->arena;
    const char *repeat_options = repair->request->results->repeat_options;
    if (value->to_own_kind > 0)
        return arena_printf(arena, "  # %s %s: measured %.4g to its own kind, others wait %.4g, LLVM %.4g; %s\n",
                            value->form, check_value_label(arena, value), value->to_own_kind, value->to_others,
                            predicted, table_repeat(arena, &value->value, repeat_options));
    return arena_printf(arena, "  # %s %s: measured %s%.4g [%.4g, %.4g], LLVM %.4g; %s\n", value->form,
                        check_value_label(arena, value), check_value_is_bound(value) ? "at most " : "",
                        value->value.cycles, value->value.low, value->value.high, predicted,
                        table_repeat(arena, &value->value, repeat_options));
}

static const char *evidence_of(const struct repair *repair, const struct repair_member *members, size_t n) {
    struct text text = {.arena = repair->arena};
    size_t n_written = 0, n_all = 0;
    for (size_t m = 0; m < n; m++)
        for (size_t i = members[m].first; i < members[m].end; i++)
            if (repair->gaps[i] > 0 && !repair->follow[i] && repair_can_explain(&repair->values[i])) {
                if (n_written < REPAIR_MOST_EVIDENCE) {
                    n_written++;
                    text_add(&text, repair_describe_value(repair, &repair->values[i], repair->base[i].cycles));
                }
                n_all++;
            }
    if (n_all > n_written)
        text_addf(&text, "  # and %s\n", text_count(repair->arena, n_all - n_written, "more value"));
    return text.data;
}

// Whether what is known of two values of one group is alike, so that one of them suffices to try changes.
static bool are_alike(const struct repair *repair, size_t a, size_t b) {
    static const double share = 0.005;
    const struct check_value *one = &repair->values[a], *other = &repair->values[b];
    double x = repair->base[a].cycles, y = repair->base[b].cycles;
    return one->quantity == other->quantity && strcmp(one->detail, other->detail) == 0 &&
           one->value.relation == other->value.relation && one->value.n_parts == other->value.n_parts &&
           fabs(one->value.cycles - other->value.cycles) <= share * fabs(other->value.cycles) &&
           fabs(x - y) <= share * fabs(y);
}

// Notes what the values say of latencies.
static void note_latencies(struct repair_search *search) {
    static const double zero = 0.5;
    bool has_bound = false, has_exact = false;
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &search->all[search->values[i]];
        if (value->quantity != CHECK_LATENCY || !repair_can_explain(value))
            continue;
        has_bound |= check_value_is_bound(value);
        has_exact |= !check_value_is_bound(value);
        search->has_zero |= !check_value_is_bound(value) && value->value.cycles < zero;
    }
    search->has_only_bounds = has_bound && !has_exact;
}

// Sets the values to try changes with: of the members' that are compared those that are not alike, with their weights.
static void take_values(const struct repair *repair, struct arena *arena, struct repair_search *search,
                        const struct repair_member *members, size_t n) {
    size_t *values = ARENA_ARRAY(arena, size_t, MOST_VALUES_TRIED),
           *weights = ARENA_ARRAY(arena, size_t, MOST_VALUES_TRIED);
    for (size_t m = 0; m < n; m++)
        for (size_t i = members[m].first; i < members[m].end; i++) {
            size_t k = 0;
            if (!repair_is_taken(repair, &members[m], i))
                continue;
            while (k < search->n_values && !are_alike(repair, values[k], i))
                k++;
            if (k == MOST_VALUES_TRIED)
                continue;
            if (k == search->n_values)
                values[search->n_values++] = i;
            weights[k]++;
        }
    search->values = values;
    search->weights = weights;
}

static bool has_wrong_throughput(const struct repair *repair, const struct repair_search *search) {
    for (size_t i = 0; i < search->n_values; i++)
        if (repair->values[search->values[i]].quantity == CHECK_THROUGHPUT && repair->gaps[search->values[i]] > 0)
            return true;
    return false;
}

struct repair_search repair_open_search(struct arena *arena, struct repair *repair, const struct repair_member *members,
                                        size_t n, const struct repair_numbers *start) {
    struct repair_search search = {.model = repair->request->model,
                                   .all = repair->values,
                                   .dispatch_width = repair->dispatch_width,
                                   .commonness = repair->commonness,
                                   .gaps = repair->gaps,
                                   .worst_gaps = repair->worst_gaps,
                                   .allowed_below = repair->allowed_below,
                                   .base = members->numbers,
                                   .best = *start};
    take_values(repair, arena, &search, members, n);
    note_latencies(&search);
    if (repair->pipes && has_wrong_throughput(repair, &search))
        search.ranks = repair_pipes_rank(repair, arena, members, n);
    search.opcodes = ARENA_ARRAY(arena, const char *, search.n_values);
    for (size_t i = 0; i < search.n_values; i++) {
        const char *form = repair->values[search.values[i]].form, *opcode = form_unit(arena, form);
        if (text_find(opcode, search.opcodes, search.n_opcodes) == search.n_opcodes)
            search.opcodes[search.n_opcodes++] = opcode;
    }
    repair_set_sums(repair, arena, &search);
    return search;
}

// Whether a rule of the members may name the opcode of one of them. A form with other operands, whose plain form has
// other numbers in the model and so belongs to other members, only follows: that one's values count.
static bool leads(const struct repair *repair, const struct repair_member *members, size_t n, size_t at) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(members[i].opcode, members[at].opcode) == 0 && !(repair->follow && repair->follow[members[i].first]))
            return true;
    return false;
}

void repair_add_rule(struct repair *repair, const struct repair_search *search, const struct repair_numbers *before,
                     const struct repair_member *members, size_t n, bool is_of_class) {
    struct repair_rule rule = {.opcodes = ARENA_ARRAY(repair->arena, const char *, n),
                               .before = *before,
                               .after = search->best,
                               .is_of_class = is_of_class,
                               .class_name = members->class_name,
                               .evidence = evidence_of(repair, members, n)};
    for (size_t i = 0; i < n; i++)
        if ((!rule.n_opcodes || strcmp(members[i].opcode, rule.opcodes[rule.n_opcodes - 1]) != 0) &&
            (n == 1 || leads(repair, members, n, i)))
            rule.opcodes[rule.n_opcodes++] = members[i].opcode;
    if (!rule.n_opcodes)
        return;
    const char *guess = repair->pipes ? repair_pipes_guess(repair->arena, search, before) : NULL;
    rule.is_guess = guess != NULL;
    if (guess)
        rule.evidence = arena_printf(repair->arena, "%s%s", rule.evidence ? rule.evidence : "", guess);
    const char *split = repair_describe_split(repair, search, before);
    rule.is_split = split != NULL;
    if (split)
        rule.evidence = arena_printf(repair->arena, "%s%s", rule.evidence ? rule.evidence : "", split);
    if (search->leaves_latencies)
        rule.evidence = arena_printf(repair->arena,
                                     "%s  # The latency stays: it alone does not explain the bounds, and no more is "
                                     "measured of it\n",
                                     rule.evidence ? rule.evidence : "");
    *ARENA_ADD(repair->arena, repair->rules, repair->n_rules) = rule;
    if (repair->pipes)
        repair_pipes_note(repair->pipes, &rule);
    repair_note_sums(repair, &rule);
}
