#include "check/repair.h"

#include "check/findings.h"
#include "check/forwarding.h"
#include "check/gap.h"
#include "check/predictor.h"
#include "check/repair_limits.h"
#include "check/repair_memory.h"
#include "check/repair_mixtures.h"
#include "check/repair_pipes.h"
#include "check/repair_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- members

static int compare_members(const void *a, const void *b) {
    const struct repair_member *one = a, *other = b;
    int order = strcmp(one->key, other->key);
    return order ? order : strcmp(one->form, other->form);
}

static bool uses_pipes_of(const struct machine *machine, const struct repair_numbers *numbers, unsigned resource) {
    for (unsigned u = 0; u < numbers->n_uses; u++)
        if (resource_pipes(machine->resources[numbers->uses[u].resource].mask) &
            resource_pipes(machine->resources[resource].mask))
            return true;
    return false;
}

static void find_commonness(struct repair *repair) {
    const struct machine *machine = repair->request->model->machine;
    repair->commonness = ARENA_ARRAY(repair->arena, double, machine->n_resources);
    for (unsigned r = 1; r < machine->n_resources; r++)
        for (size_t m = 0; m < repair->n_members; m++)
            if (uses_pipes_of(machine, &repair->members[m].numbers, r))
                repair->commonness[r] += 1.0 / (double)repair->n_members;
}

static void find_others(struct arena *arena, const struct block *block, struct repair_member *member) {
    for (unsigned i = 0; i < block->n_insns; i++) {
        const char *opcode = block->insns[i].opcode;
        if (strcmp(opcode, member->opcode) != 0 &&
            text_find(opcode, member->others, member->n_others) == member->n_others)
            *ARENA_ADD(arena, member->others, member->n_others) = arena_strdup(arena, opcode);
    }
}

static bool has_value(const struct repair *repair, const struct repair_member *member) {
    for (size_t i = member->first; i < member->end; i++)
        if (repair->gaps[i] >= 0)
            return true;
    return false;
}

// Finds those that follow their opcode's plain form. A rule of an overlay is of an opcode, also where LLVM's model has
// other numbers for other operands.
static void mark_followers(struct repair *repair) {
    for (size_t m = 0; m < repair->n_members; m++) {
        const struct repair_member *member = &repair->members[m];
        bool is_plain = !strchr(member->form, '-'), follows = false;
        for (size_t k = 0; !is_plain && k < repair->n_members && !follows; k++)
            follows = strcmp(repair->members[k].form, member->opcode) == 0 && has_value(repair, &repair->members[k]);
        for (size_t i = member->first; i < member->end; i++)
            repair->follow[i] = follows;
    }
}

static void find_members(struct repair *repair) {
    const struct model *model = repair->request->model;
    struct predictor predictor;
    predictor_open(&predictor, repair->arena, model);
    for (size_t first = 0, end; first < repair->n_values; first = end) {
        const struct check_value *value = &repair->values[first];
        for (end = first + 1; end < repair->n_values && strcmp(repair->values[end].form, value->form) == 0;)
            end++;
        struct arena scratch = {0};
        struct fail fail = {0};
        struct block block;
        struct repair_member member = {
            .form = value->form, .class_name = value->class_name, .first = first, .end = end};
        const struct insn *insn = value->code && predictor_describe(&predictor, &scratch, value->code, &block, &fail)
                                      ? predictor_find_form(&block, value->form)
                                      : NULL;
        for (size_t i = first; i < end; i++)
            repair->are_other_code[i] = value->code && !insn;
        if (insn && repair_numbers_read(model->machine, insn, &member.numbers)) {
            member.opcode = arena_copy(repair->arena, value->form, strcspn(value->form, "-"));
            member.key = repair_member_key(repair->arena, &member);
            find_others(repair->arena, &block, &member);
            *ARENA_ADD(repair->arena, repair->members, repair->n_members) = member;
        }
        arena_free(&scratch);
    }
    if (repair->n_members)
        qsort(repair->members, repair->n_members, sizeof *repair->members, compare_members);
    mark_followers(repair);
}

static size_t count_differing(const struct repair *repair, const struct repair_member *member) {
    size_t n = 0;
    for (size_t i = member->first; i < member->end; i++)
        n += repair->gaps[i] > 0 && repair_can_explain(&repair->values[i]) && repair_is_taken(repair, member, i);
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
    }
    arena_free(&arena);
}

// ---- the whole

static const char *write_all(struct repair *repair, const char *about) {
    struct text text = {.arena = repair->arena};
    const struct machine *machine = repair->request->model->machine;
    repair_head_write(machine, repair->request->name, about, repair->dispatch_width, &text);
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
        if (predictor_describe(predictor, &scratch, value->value.parts[i].bytes, &block, &fail))
            for (unsigned k = 0; k < block.n_insns; k++)
                is_any |= undo(repair, block.insns[k].opcode);
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
    if (!predicted->is_known || repair->follow[i] || !repair_can_explain(value))
        return;
    if (gap_below(value, predicted) > repair->allowed_below[i])
        trade->n_below++;
    else
        trade->n_right += value->quantity == CHECK_LATENCY && repair->gaps[i] > 0 && gap_find(value, predicted) == 0;
}

// Takes a form's latencies back where they do more harm than good. False: they stay.
static bool settle(struct repair *repair, const struct trade *trade) {
    struct arena arena = {0};
    bool is_taken = trade->form && trade->n_below > trade->n_right &&
                    take_latencies_back(repair, arena_copy(&arena, trade->form, strcspn(trade->form, "-")));
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

// Takes back what makes a value worse: of opcodes without a value first, then of its form, or of all in its programs
// that have mended no value of their own. False: nothing is left to take back.
static bool take_back(struct repair *repair, struct predictor *predictor, const struct check_value *value,
                      bool of_programs, bool *has_removed) {
    struct arena arena = {0};
    bool is_any = undo_programs(repair, predictor, value, repair_unspread_opcode);
    if (!is_any) {
        is_any = of_programs ? undo_programs(repair, predictor, value, remove_unproved)
                             : remove_opcode(repair, arena_copy(&arena, value->form, strcspn(value->form, "-")));
        *has_removed |= is_any;
    }
    arena_free(&arena);
    return is_any;
}

static void clear_after(struct repair_count *count) {
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
    double gap = predicted.is_known ? gap_find(value, &predicted) : INFINITY;
    if (gap > 0 && predicted.is_known && !is_out && !value->is_kept_only)
        look->differing[look->n_differing++] = i;
    if (!is_out)
        look->n_settled += trade_on(repair, i, &predicted, !of_programs, &look->trade);
    repair->is_mended[i] = !is_out && gap < repair->gaps[i] / 2 && !check_value_is_bound(value);
    if (count_after(repair, i, &predicted, gap, count) || is_out) // what is held out only judges
        return;
    if (!take_back(repair, &look->predictor, value, of_programs, &look->has_removed) && of_programs) {
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
    bool is_good = overlay && predictor_open_changed(&look->predictor, &arena, repair->request->model, overlay,
                                                     repair->n_values, fail);
    clear_after(&look->result->seen);
    clear_after(&look->result->held_out);
    look->predictor.only_cycles = true;
    repair_memory_begin(look->memory, repair);
    for (size_t i = 0; is_good && i < repair->n_values; i++)
        look_at(look, i);
    look->n_settled += is_good && look->round < ROUNDS_OF_FORMS && settle(repair, &look->trade);
    look->has_removed |= look->n_settled > 0;
    if (look->result->seen.n_worse && look->round >= ROUNDS_OF_WIDTH)
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
        result->overlay = write_all(repair, about);
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

// Verifies all, takes back what mixtures show to be wrong, and verifies what is left.
static bool verify_all(struct repair *repair, const char *about, struct repair_result *result, struct fail *fail) {
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
    return repair_judge_mixtures(repair, &mixtures, result->overlay, &result->mixtures, fail);
}

// Whether the repair does not see an opcode, by a hash of its name.
static bool is_held_out(const char *form, double share) {
    uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    for (size_t i = 0; form[i] && form[i] != '-'; i++)
        hash = (hash ^ (unsigned char)form[i]) * 0x100000001b3;
    return (double)(hash >> 40) < share * (double)(1 << 24);
}

static void predict_base(struct repair *repair, struct repair_result *result) {
    struct predictor predictor, cheap;
    struct check_difference *differences = NULL;
    size_t n_differences = 0;
    predictor_open(&predictor, repair->arena, repair->request->model);
    predictor_open(&cheap, repair->arena, repair->request->model);
    cheap.only_cycles = true;
    repair->base = ARENA_ARRAY(repair->arena, struct predicted, repair->n_values);
    repair->gaps = ARENA_ARRAY(repair->arena, double, repair->n_values);
    repair->worst_gaps = ARENA_ARRAY(repair->arena, double, repair->n_values);
    repair->allowed_below = ARENA_ARRAY(repair->arena, double, repair->n_values);
    repair->held_out = ARENA_ARRAY(repair->arena, double, repair->n_values);
    repair->are_other_code = ARENA_ARRAY(repair->arena, bool, repair->n_values);
    repair->follow = ARENA_ARRAY(repair->arena, bool, repair->n_values);
    repair->is_mended = ARENA_ARRAY(repair->arena, bool, repair->n_values);
    struct check_value *values = ARENA_ARRAY(repair->arena, struct check_value, repair->n_values);
    for (size_t i = 0; i < repair->n_values; i++) {
        struct check_value *value = &values[i];
        *value = repair->values[i];
        repair->gaps[i] = repair->held_out[i] = -1;
        bool is_out = is_held_out(value->form, repair->request->held_out);
        struct repair_count *count = is_out ? &result->held_out : &result->seen;
        if (value->is_for_hardware_only)
            continue;
        if (!gap_is_sure(value)) {
            count->n_unstable += value->value.is_known;
            continue;
        }
        repair->base[i] = predictor_predict(&cheap, value);
        if (!repair->base[i].is_known)
            continue;
        forwarding_accept(value, repair->base[i].cycles);
        double gap = gap_find(value, &repair->base[i]);
        if (gap > 0) // what limits the programs is asked only where it is wanted
            repair->base[i] = predictor_predict(&predictor, value);
        *(is_out ? &repair->held_out[i] : &repair->gaps[i]) = gap;
        repair->worst_gaps[i] = fmax(gap, repair_nearest_gap(repair->request->model->machine, value, &repair->base[i]));
        repair->allowed_below[i] = gap_allowed_below(value, &repair->base[i]);
        value->is_kept_only = value->quantity == CHECK_SLOTS && !repair->request->wants_slots;
        if (value->is_kept_only) {
            count->n_slots += gap > 0;
            continue;
        }
        count->n_compared++;
        count->n_differ_before += gap > 0;
        if (gap > 0 && !is_out)
            *ARENA_ADD(repair->arena, differences, n_differences) =
                gap_describe(repair->arena, value, &repair->base[i]);
    }
    repair->values = values;
    check_find(repair->arena, CHECK_GAP, differences, n_differences, &result->findings_before,
               &result->n_findings_before);
}

// Another dispatch width, where that alone makes many values better for each that it makes worse.
static void repair_width(struct repair *repair) {
    enum { FEWEST_BETTER = 20 };
    const struct machine *machine = repair->request->model->machine;
    size_t *list = NULL, n = 0, n_dispatch = 0;
    for (size_t i = 0; i < repair->n_values; i++)
        if (repair->gaps[i] >= 0 && repair->values[i].quantity == CHECK_THROUGHPUT) {
            *ARENA_ADD(repair->arena, list, n) = i;
            n_dispatch += repair->gaps[i] > 0 && repair->base[i].kind == BOTTLENECK_DISPATCH;
        }
    if (n_dispatch < CHECK_SHARED_CLASSES)
        return;
    struct repair_search search = {.model = repair->request->model,
                                   .all = repair->values,
                                   .dispatch_width = repair->dispatch_width,
                                   .values = list,
                                   .n_values = n};
    static const char *none[] = {"none"}; // no opcode is called so
    search.opcodes = none;
    search.n_opcodes = 1;
    struct predicted *all = ARENA_ARRAY(repair->arena, struct predicted, n);
    size_t least = SIZE_MAX;
    unsigned best_width = 0;
    for (unsigned width = 1; width <= 2 * machine->dispatch_width; width++) {
        struct repair_cost cost;
        size_t n_worse = 0, n_better = 0;
        search.dispatch_width = width;
        if (width == machine->dispatch_width || !repair_evaluate(&search, &search.base, &cost, all) ||
            cost.n_differ >= least)
            continue;
        for (size_t i = 0; i < n; i++) {
            double gap = gap_find(&repair->values[list[i]], &all[i]), before = repair->gaps[list[i]];
            n_worse += gap > before;
            n_better += gap < before;
        }
        if (n_better > FEWEST_BETTER * n_worse && n_better >= CHECK_SHARED_CLASSES) {
            least = cost.n_differ;
            best_width = width;
        }
    }
    repair->dispatch_width = best_width;
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
        struct repair_change change = {member->opcode, member->numbers, member->numbers, false, false};
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
                (struct repair_change){rule->opcodes[k], rule->before, rule->after, false, true};
        }
    if (n)
        qsort(changes, n, sizeof *changes, compare_changes);
    result->changes = changes;
    result->n_changes = n;
    result->dispatch_width = repair->dispatch_width;
}

// What leads back in others' chains comes first; forms with memory come behind those with registers, whose pipes may be
// theirs.
enum stage { LEADS_BACK, LEADS_BACK_UNKNOWN, REGISTERS, MEMORY, N_STAGES };

static enum stage stage_of(const struct repair *repair, const struct repair_member *members, size_t n) {
    switch (repair_leads_back(repair, members, n)) {
    case REPAIR_LEADS_KNOWN:
        return LEADS_BACK;
    case REPAIR_LEADS_UNKNOWN:
        return LEADS_BACK_UNKNOWN;
    case REPAIR_LEADS_NOWHERE:
        break;
    }
    return repair_pipes_has_memory(repair->pipes, members->form) ? MEMORY : REGISTERS;
}

static void count_guesses(const struct repair *repair, struct repair_result *result) {
    const char **classes = ARENA_ARRAY(repair->arena, const char *, repair->n_rules);
    size_t n = 0;
    for (size_t i = 0; i < repair->n_rules; i++)
        if (repair->rules[i].is_guess && repair->rules[i].n_opcodes) {
            classes[n++] = repair->rules[i].class_name;
            result->n_guessed_opcodes += repair->rules[i].n_opcodes;
        }
    for (size_t i = 0; i < repair->n_rules; i++)
        result->n_split_opcodes += repair->rules[i].is_split ? repair->rules[i].n_opcodes : 0;
    result->n_guessed_classes = text_sort(classes, n);
}

bool repair_run(struct arena *arena, const struct repair_request *request, struct repair_result *result,
                struct fail *fail) {
    struct repair repair = {
        .arena = arena, .request = request, .values = request->results->values, .n_values = request->results->n_values};
    *result = (struct repair_result){.overlay = ""};
    predict_base(&repair, result);
    find_members(&repair);
    if (!repair_find_unseen(&repair, fail))
        return false;
    find_commonness(&repair);
    repair.pipes = repair_pipes_learn(&repair);
    repair_width(&repair);
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
    lab_say_measuring(request->listener, repair.n_members + 1, repair.n_members);
    const char *about = arena_printf(arena, "\"%s, repaired by measurements of %s\"", request->model->machine->id,
                                     request->results->machine);
    if (!verify_all(&repair, about, result, fail))
        return false;
    for (size_t i = 0; i < repair.n_rules; i++) {
        result->n_class_rules += repair.rules[i].n_opcodes && repair.rules[i].is_of_class;
        result->n_form_rules += repair.rules[i].n_opcodes && !repair.rules[i].is_of_class;
    }
    result->n_idioms = repair_count_idioms(&repair);
    count_guesses(&repair, result);
    find_changes(&repair, result);
    return true;
}
