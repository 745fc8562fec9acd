// The judge of a repair: all measured programs are simulated with all changes, as often as something is taken back.
#include "repair/repair_verify.h"

#include "base/text.h"
#include "check/gap.h"
#include "check/sums.h"
#include "repair/repair_forms.h"
#include "repair/repair_limits.h"
#include "repair/repair_memory.h"
#include "repair/repair_mixtures.h"

#include <math.h>
#include <string.h>

const char *repair_write(const struct repair *repair, const char *about) {
    struct text text = {.arena = repair->arena};
    const struct machine *machine = repair->request->model->machine;
    bool names_forms = false;
    for (size_t i = 0; i < repair->n_rules; i++)
        names_forms |= repair->rules[i].is_of_form;
    repair_head_write(machine, repair->request->name, about, repair->dispatch_width, names_forms, &text);
    const char *when = date_range_text(repair->arena, &repair->request->results->when);
    if (when)
        text_addf(&text, "measured: \"%s\"\n", when);
    size_t n = 0;
    for (size_t i = 0; i < repair->n_rules; i++)
        n += repair->rules[i].n_opcodes > 0;
    text_add(&text, n || repair_count_idioms(repair) ? "instructions:\n" : "");
    for (size_t i = 0; i < repair->n_rules; i++)
        if (repair->rules[i].n_opcodes)
            repair_rule_write(repair->arena, machine, &repair->rules[i], &text);
    repair_write_idioms(repair, &text);
    return text.data;
}

static bool remove_numbers(struct repair *repair, const char *opcode) {
    bool is_any = false;
    for (size_t i = 0; i < repair->n_rules; i++) {
        struct repair_rule *rule = &repair->rules[i];
        size_t n = 0;
        for (size_t k = 0; k < rule->n_opcodes; k++)
            if (strcmp(rule->opcodes[k], opcode) != 0)
                rule->opcodes[n++] = rule->opcodes[k];
        is_any |= n < rule->n_opcodes;
        rule->n_opcodes = n;
    }
    return is_any;
}

// Takes an opcode's numbers back, or where it has none, that it is an idiom.
static bool remove_opcode(struct repair *repair, const char *opcode) {
    return remove_numbers(repair, opcode) || repair_drop_idiom(repair, opcode);
}

// Whether a measured value of the opcode's own became right by the repair, or twice as near.
static bool has_mended(const struct repair *repair, const char *opcode) {
    for (const struct repair_member *member = repair->members; member < repair->members + repair->n_members; member++)
        for (size_t i = member->first; strcmp(member->opcode, opcode) == 0 && i < member->end; i++)
            if (repair->is_mended[i])
                return true;
    return false;
}

// Takes back what was changed of an opcode only for the sake of others' values.
static bool remove_unproved(struct repair *repair, const char *opcode) {
    return !has_mended(repair, opcode) && remove_opcode(repair, opcode);
}

// Takes back, with `undo`, what was changed of the instructions in a value's programs. False: nothing was.
static bool undo_programs(struct repair *repair, struct predictor *predictor, const struct check_value *value,
                          bool (*undo)(struct repair *repair, const char *opcode)) {
    bool is_any = false;
    for (size_t i = 0; i < value->value.n_parts; i++) {
        struct arena scratch = {0};
        struct fail fail = {0};
        struct block block = {0};
        if (predictor_describe(predictor, &scratch, value->value.parts[i].code, &block, &fail))
            for (unsigned k = 0; k < block.n_insns; k++)
                is_any |= undo(repair, form_unit_of(&scratch, &block.insns[k]));
        arena_free(&scratch);
    }
    return is_any;
}

// Gives an opcode LLVM's latencies and read-advances again, and leaves it the rest. False: it has LLVM's.
static bool take_latencies_back(struct repair *repair, const char *opcode) {
    const struct repair_member *member = repair->members, *end = member + repair->n_members;
    while (member < end && strcmp(member->opcode, opcode) != 0)
        member++;
    if (member == end)
        return false;
    struct repair_numbers numbers = member->numbers;
    repair_apply_rules(repair, opcode, &numbers);
    const struct repair_numbers kept = repair_numbers_with_latencies(&numbers, &member->numbers);
    if (repair_numbers_are_equal(&numbers, &kept))
        return false;
    remove_numbers(repair, opcode);
    struct repair_search search = {.best = kept};
    if (!repair_numbers_are_equal(&member->numbers, &kept))
        repair_add_rule(repair, &search, &member->numbers, member, 1, false);
    return true;
}

// A form's bounds that became too far below what was measured, and latencies that became right.
struct trade {
    const char *form; // null: none yet
    size_t n_below, n_right;
};

static void add_to_trade(const struct repair *repair, size_t i, const struct predicted *predicted,
                         struct trade *trade) {
    const struct check_value *value = &repair->values[i];
    if (!predicted->is_known || repair->follow[i] || !repair_can_explain(value) || sums_is_one(value))
        return;
    if (gap_below(value, predicted) > repair->allowed_below[i])
        trade->n_below++;
    else
        trade->n_right += value->quantity == CHECK_LATENCY && repair->gaps[i] > 0 && gap_find(value, predicted) == 0;
}

// Takes a form's latencies back where they do more harm than good. False: they stay.
static bool settle(struct repair *repair, const struct trade *trade) {
    struct arena arena = {0};
    bool is_taken =
        trade->form && trade->n_below > trade->n_right && take_latencies_back(repair, form_unit(&arena, trade->form));
    arena_free(&arena);
    return is_taken;
}

// Counts a value for its form; before that, settles the form before, if `can_settle`. Returns how many were taken back.
static size_t trade_on(struct repair *repair, size_t i, const struct predicted *predicted, bool can_settle,
                       struct trade *trade) {
    const char *form = repair->values[i].form;
    size_t n_settled = 0;
    if (!trade->form || strcmp(trade->form, form) != 0) {
        n_settled = can_settle && settle(repair, trade);
        *trade = (struct trade){.form = form};
    }
    add_to_trade(repair, i, predicted, trade);
    return n_settled;
}

// Takes back what makes a value worse: of its form, or of all in its programs that have mended no value of their own.
// False: nothing is left to take back.
static bool take_back(struct repair *repair, struct predictor *predictor, const struct check_value *value,
                      bool of_programs, bool *has_removed) {
    struct arena arena = {0};
    bool is_any = of_programs ? undo_programs(repair, predictor, value, remove_unproved)
                              : remove_opcode(repair, form_unit(&arena, value->form));
    *has_removed |= is_any;
    arena_free(&arena);
    return is_any;
}

// Takes back a latency that only sums show.
static bool take_unknown_back(struct repair *repair, const char *opcode) {
    return !repair_has_latency(repair, opcode) && take_latencies_back(repair, opcode);
}

// Likewise of a sum that became too short: of its form, or of all in its programs. Latencies that are measured by
// themselves stay.
static bool take_sum_back(struct repair *repair, struct predictor *predictor, const struct check_value *value,
                          bool of_programs, bool *has_removed) {
    struct arena arena = {0};
    bool is_any = take_unknown_back(repair, form_unit(&arena, value->form)) ||
                  (of_programs && undo_programs(repair, predictor, value, take_unknown_back));
    *has_removed |= is_any;
    arena_free(&arena);
    return is_any;
}

// How far off a prediction is. A sum that LLVM's model has not too short, or less so, differs as well.
static double gap_after(const struct repair *repair, size_t i, const struct predicted *predicted, bool *is_short) {
    const struct check_value *value = &repair->values[i];
    const double missing = sums_missing(value, predicted);
    *is_short = missing > repair->allowed_below[i];
    return !predicted->is_known ? INFINITY : *is_short ? missing / value->value.sum : gap_find(value, predicted);
}

static void clear_after(struct repair_count *count) {
    count->n_sums_after = 0;
    count->n_differ_after = count->n_worse = count->n_nearest = count->n_followed = count->n_beside = 0;
    memset(count->n_limited, 0, sizeof count->n_limited);
}

// Counts a value with its gap after the repair. False: it became worse.
static bool count_after(const struct repair *repair, size_t i, const struct predicted *predicted, double gap,
                        struct repair_count *count) {
    double before = repair->held_out[i] >= 0 ? repair->held_out[i] : repair->gaps[i];
    if (gap > 0 && !repair->values[i].is_kept_only) {
        count->n_differ_after++;
        count->n_limited[repair_limit_of(repair->request->model->machine, &repair->values[i], predicted,
                                         repair->are_other_code[i])]++;
    }
    if (!repair_is_larger(gap, before))
        return true;
    bool is_nearest = !repair_is_larger(gap, repair->worst_gaps[i]);
    *(repair->follow[i] ? &count->n_followed : is_nearest ? &count->n_nearest : &count->n_worse) += 1;
    return repair->follow[i] || is_nearest;
}

// Notes what still differs, by number in `values`, with its cause.
static void describe_after(struct repair *repair, struct predictor *predictor, const size_t *values, size_t n,
                           struct repair_result *result) {
    struct check_difference *differences = ARENA_ARRAY(repair->arena, struct check_difference, n);
    predictor_ask_limits(predictor);
    for (size_t i = 0; i < n; i++) {
        const struct check_value *value = &repair->values[values[i]];
        struct predicted predicted = predictor_predict(predictor, value);
        differences[i] = gap_describe(repair->arena, value, &predicted);
    }
    check_find(repair->arena, CHECK_GAP, differences, n, &result->findings_after, &result->n_findings_after);
}

enum { ROUNDS_OF_FORMS = 4, ROUNDS_OF_WIDTH = 8, ROUNDS = 20 };

// One look at all values with the repair.
struct look {
    struct repair *repair;
    struct repair_memory *memory;
    struct repair_result *result;
    struct predictor predictor;
    int round;
    bool only_counts;               // takes nothing back
    size_t *differing, n_differing; // values that still differ
    size_t n_settled;               // forms whose latencies were taken back
    struct trade trade;
    bool has_removed;
};

// Predicts a value, counts it, and takes back what makes it worse.
static void look_at(struct look *look, size_t i) {
    struct repair *repair = look->repair;
    const struct check_value *value = &repair->values[i];
    const bool is_out = repair->held_out[i] >= 0, of_programs = look->round >= ROUNDS_OF_FORMS;
    struct repair_count *count = is_out ? &look->result->held_out : &look->result->seen;
    if (!is_out && repair->gaps[i] < 0)
        return;
    struct predicted predicted = repair_memory_predict(look->memory, repair, i, &look->predictor);
    bool is_short;
    double gap = gap_after(repair, i, &predicted, &is_short);
    if (gap > 0 && !is_short && predicted.is_known && !is_out && !value->is_kept_only)
        look->differing[look->n_differing++] = i;
    count->n_sums_after += sums_missing(value, &predicted) > 0;
    if (!is_out)
        look->n_settled += trade_on(repair, i, &predicted, !of_programs, &look->trade);
    repair->is_mended[i] = !is_out && gap < repair->gaps[i] / 2 && !check_value_is_bound(value);
    if (count_after(repair, i, &predicted, gap, count) || is_out) // what is held out only judges
        return;
    if (look->only_counts ||
        (!undo_programs(repair, &look->predictor, value, repair_unspread_opcode) && // without a value: these first
         !(is_short ? take_sum_back : take_back)(repair, &look->predictor, value, of_programs, &look->has_removed) &&
         of_programs)) {
        count->n_worse--;
        count->n_beside++;
    }
}

static bool look_is_last(const struct look *look) {
    return (look->result->seen.n_worse == 0 && look->n_settled == 0) || look->round == ROUNDS - 1;
}

// Looks at all values. False: Cyclops itself failed.
static bool look_at_all(struct look *look, struct fail *fail) {
    struct repair *repair = look->repair;
    struct arena arena = {0};
    look->differing = ARENA_ARRAY(&arena, size_t, repair->n_values);
    struct overlay *overlay = overlay_parse(&arena, "the repair", look->result->overlay, fail);
    bool is_good = overlay && predictor_open_changed(&look->predictor, &arena, repair->request->model, overlay, fail);
    clear_after(&look->result->seen);
    clear_after(&look->result->held_out);
    look->predictor.only_cycles = true;
    repair_memory_begin(look->memory, repair);
    for (size_t i = 0; is_good && i < repair->n_values; i++)
        look_at(look, i);
    look->n_settled += is_good && look->round < ROUNDS_OF_FORMS && settle(repair, &look->trade);
    look->has_removed |= look->n_settled > 0;
    if (look->result->seen.n_worse && look->round >= ROUNDS_OF_WIDTH && !look->only_counts)
        repair->dispatch_width = 0; // no rule is left in these programs
    if (is_good && look_is_last(look))
        describe_after(repair, &look->predictor, look->differing, look->n_differing, look->result);
    overlay_close(overlay);
    arena_free(&arena);
    return is_good;
}

// Predicts all values with the repair, and takes back what makes one worse, or undercuts more than it mends. False:
// Cyclops itself failed.
static bool verify(struct repair *repair, struct repair_memory *memory, const char *about, struct repair_result *result,
                   bool *has_removed, struct fail *fail) {
    for (int round = 0; round < ROUNDS; round++) {
        struct look look = {.repair = repair, .memory = memory, .result = result, .round = round};
        result->overlay = repair_write(repair, about);
        if (!look_at_all(&look, fail))
            return false;
        *has_removed |= look.has_removed;
        if (look_is_last(&look))
            break;
    }
    return true;
}

// Repairs opcodes without a value as the others of their class, as long as these agree, and verifies all.
static bool verify_spread(struct repair *repair, struct repair_memory *memory, const char *about,
                          struct repair_result *result, struct fail *fail) {
    enum { SPREADS = 4 };
    bool has_removed = false;
    if (!verify(repair, memory, about, result, &has_removed, fail))
        return false;
    for (int round = 0; round < SPREADS; round++) {
        has_removed = false;
        repair_spread(repair);
        if (!verify(repair, memory, about, result, &has_removed, fail))
            return false;
        if (!has_removed)
            return true;
        repair_unspread(repair); // what was taken back may be of a class that agreed
    }
    return verify(repair, memory, about, result, &has_removed, fail);
}

// Adds rules of single forms, and keeps them where fewer values differ by them, and none more is made worse.
static bool verify_forms(struct repair *repair, struct repair_memory *memory, const char *about,
                         struct repair_result *result, struct fail *fail) {
    const struct repair_result without = *result;
    const size_t n_rules = repair->n_rules, n_worse = without.seen.n_worse + without.seen.n_beside;
    if (!repair->request->names_forms || !repair_add_forms(repair))
        return true;
    struct look look = {.repair = repair, .memory = memory, .result = result, .round = ROUNDS - 1, .only_counts = true};
    result->overlay = repair_write(repair, about);
    result->n_named = repair->n_rules - n_rules;
    if (!look_at_all(&look, fail))
        return false;
    if (result->seen.n_differ_after < without.seen.n_differ_after &&
        result->seen.n_worse + result->seen.n_beside <= n_worse)
        return true;
    *result = without;
    repair->n_rules = n_rules;
    return true;
}

// Verifies all, takes back what mixtures show to be wrong, verifies what is left, and adds rules of single forms.
bool repair_verify(struct repair *repair, const char *about, struct repair_result *result, struct fail *fail) {
    struct repair_memory memory;
    struct predictor predictor;
    struct mixtures mixtures;
    repair_memory_open(&memory, repair->arena, repair->n_values);
    predictor_open(&predictor, repair->arena, repair->request->model);
    mixtures_open(&mixtures, &predictor, repair->request->results);
    if (!verify_spread(repair, &memory, about, result, fail))
        return false;
    if (repair_by_mixtures(repair, &mixtures, &result->mixtures)) {
        repair_unspread(repair);
        if (!verify_spread(repair, &memory, about, result, fail))
            return false;
    }
    if (!verify_forms(repair, &memory, about, result, fail))
        return false;
    return repair_judge_mixtures(repair, &mixtures, result->overlay, &result->mixtures, fail);
}
