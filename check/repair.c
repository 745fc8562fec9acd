#include "check/repair.h"

#include "check/findings.h"
#include "check/gap.h"
#include "check/predictor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES_TRIED = 64, MOST_HINTS = 8, MOST_ROUNDS = 6, MOST_EVIDENCE = 3, MOST_TRIED = 256 };

// A form with its values, which are [first, end) of the results'.
struct member {
    const char *key; // equal for forms of one class whose instructions have the same numbers
    const char *form, *opcode, *class_name;
    size_t first, end;
    struct repair_numbers numbers;
};

struct repair {
    struct arena *arena;
    const struct repair_request *request;
    const struct check_value *values;
    size_t n_values;
    struct predicted *base;  // of the model as it is, by value
    double *gaps;            // likewise; below 0: the value is not compared
    unsigned dispatch_width; // changed; 0: it is not
    struct member *members;
    size_t n_members;
    struct repair_rule *rules;
    size_t n_rules;
};

// ---- trying a change

struct cost {
    size_t n_differ;
    double gaps;       // sum of those
    unsigned distance; // numbers changed
};

static bool is_less(struct cost a, struct cost b) {
    static const double share = 1e-6;
    if (a.n_differ != b.n_differ)
        return a.n_differ < b.n_differ;
    if (fabs(a.gaps - b.gaps) > share * fmax(a.gaps, b.gaps))
        return a.gaps < b.gaps;
    return a.distance < b.distance;
}

// What is searched: numbers of some opcodes, judged by some values.
struct search {
    struct repair *repair;
    const char **opcodes;
    size_t n_opcodes;
    const size_t *values;  // numbers of the values
    const size_t *weights; // values that each stands for; null: one
    size_t n_values;
    struct repair_numbers base; // LLVM's
    struct repair_numbers best;
    struct cost cost;            // of the best
    struct predicted *predicted; // the best one's predictions, by number in `values`
    struct repair_numbers next;  // the best of this round
    struct cost next_cost;
    struct repair_numbers *tried; // in this round; room for MOST_TRIED
    size_t n_tried;
};

// Predicts the values with the numbers, and adds up what differs. `all`: room for the predictions, or null.
static bool evaluate(const struct search *search, const struct repair_numbers *numbers, struct cost *cost,
                     struct predicted *all) {
    const struct repair *repair = search->repair;
    struct arena arena = {0};
    struct text text = {.arena = &arena};
    struct fail fail = {0};
    struct predictor predictor;
    const struct machine *machine = repair->request->model->machine;
    struct repair_rule rule = {
        .opcodes = search->opcodes, .n_opcodes = search->n_opcodes, .before = search->base, .after = *numbers};
    *cost = (struct cost){.distance = repair_numbers_distance(&search->base, numbers)};
    repair_head_write(machine, "try", "a change that is tried", repair->dispatch_width, &text);
    text_add(&text, "instructions:\n");
    repair_rule_write(&arena, machine, &rule, &text);
    struct overlay *overlay = overlay_parse(&arena, "a change that is tried", text.data, &fail);
    bool is_good =
        overlay && predictor_open_changed(&predictor, &arena, repair->request->model, overlay, search->n_values, &fail);
    for (size_t i = 0; is_good && i < search->n_values; i++) {
        const struct check_value *value = &repair->values[search->values[i]];
        struct predicted predicted = predictor_predict(&predictor, value);
        double gap = predicted.is_known ? gap_find(value, &predicted) : INFINITY;
        is_good = isfinite(gap);
        size_t weight = search->weights ? search->weights[i] : 1;
        cost->n_differ += gap > 0 ? weight : 0;
        cost->gaps += gap * (double)weight;
        if (all) {
            all[i] = predicted;
            all[i].resource = all[i].why = NULL; // these end with this trial
        }
    }
    overlay_close(overlay);
    arena_free(&arena);
    return is_good;
}

static void try_numbers(struct search *search, const struct repair_numbers *numbers) {
    struct cost cost;
    if (repair_numbers_are_equal(numbers, &search->best) || search->n_tried == MOST_TRIED)
        return;
    for (size_t i = 0; i < search->n_tried; i++)
        if (repair_numbers_are_equal(numbers, &search->tried[i]))
            return;
    search->tried[search->n_tried++] = *numbers;
    if (!evaluate(search, numbers, &cost, NULL))
        return;
    if (is_less(cost, search->next_cost)) {
        search->next = *numbers;
        search->next_cost = cost;
    }
}

// ---- what differences suggest

static void add_to(unsigned *latency, int delta) {
    int sum = (int)*latency + delta;
    *latency = sum < 0 ? 0 : (unsigned)sum;
}

static bool can_be_repaired(const struct check_value *value) {
    return value->quantity != CHECK_LATENCY ||
           (strcmp(value->source, "same") != 0 && strcmp(value->destination, "memory") != 0);
}

static void suggest_latency(struct search *search, int delta) {
    struct repair_numbers all = search->best;
    for (unsigned w = 0; w < all.n_writes; w++) {
        struct repair_numbers one = search->best;
        add_to(&one.latencies[w], delta);
        add_to(&all.latencies[w], delta);
        try_numbers(search, &one);
    }
    try_numbers(search, &all);
    for (unsigned r = 0; r < all.n_reads; r++) {
        struct repair_numbers one = search->best;
        one.advances[r] -= delta;
        try_numbers(search, &one);
    }
}

static unsigned whole(double number) {
    return number < 1 ? 1 : (unsigned)lround(number);
}

// Pipes that another resource has in common with this one.
static bool are_related(const struct resource *a, const struct resource *b) {
    return (resource_pipes(a->mask) & resource_pipes(b->mask)) != 0;
}

static unsigned held(const struct repair_use *use) {
    return use->release > use->acquire ? use->release - use->acquire : 0;
}

// Cycles for which the uses hold resources that this one contains (LLVM: Super).
static unsigned held_inside(const struct machine *machine, const struct repair_numbers *numbers, unsigned u) {
    unsigned cycles = 0;
    for (unsigned i = 0; i < numbers->n_uses; i++)
        cycles += machine->resources[numbers->uses[i].resource].super == numbers->uses[u].resource ? held(&numbers->uses[i])
                                                                                                   : 0;
    return cycles;
}

// Whether the use is none of its own, but follows from those of resources inside.
static bool follows(const struct machine *machine, const struct repair_numbers *numbers, unsigned u) {
    return held(&numbers->uses[u]) > 0 && held(&numbers->uses[u]) == held_inside(machine, numbers, u);
}

// Tries other uses. LLVM's file holds a resource as long as those inside it, so that follows.
static void try_uses(struct search *search, struct repair_numbers *numbers) {
    const struct machine *machine = search->repair->request->model->machine;
    for (unsigned u = 0; u < numbers->n_uses; u++)
        if (follows(machine, &search->base, u) && numbers->uses[u].resource == search->base.uses[u].resource)
            numbers->uses[u].release = numbers->uses[u].acquire + held_inside(machine, numbers, u);
    try_numbers(search, numbers);
}

static void suggest_uses(struct search *search, double measured, double predicted) {
    const struct machine *machine = search->repair->request->model->machine;
    const struct repair_numbers *best = &search->best;
    struct repair_numbers all = *best, first_all = *best;
    for (unsigned u = 0; u < best->n_uses; u++) {
        const struct repair_use *use = &best->uses[u];
        unsigned held = use->release - use->acquire, units = machine->resources[use->resource].units;
        if (use->release <= use->acquire || follows(machine, &search->base, u))
            continue;
        struct repair_numbers one = *best;
        one.uses[u].release = use->acquire + whole(held * measured / predicted);
        try_uses(search, &one);
        one.uses[u].release = use->acquire + whole(measured * units);
        try_uses(search, &one);
        if (held > measured * units)
            all.uses[u].release = use->acquire + whole(floor(measured * units + 0.05));
        first_all.uses[u].release = use->acquire + whole(held * measured / predicted);
        for (unsigned g = 1; g < machine->n_resources; g++) {
            if (g == use->resource || !are_related(&machine->resources[g], &machine->resources[use->resource]))
                continue;
            unsigned wanted = whole(measured * machine->resources[g].units);
            double bound = (double)wanted / machine->resources[g].units;
            static const double share = 0.02;
            if (fabs(bound - measured) > share * measured)
                continue;
            one = *best;
            one.uses[u] = (struct repair_use){g, use->acquire, use->acquire + wanted};
            try_uses(search, &one);
        }
    }
    try_uses(search, &all);
    try_uses(search, &first_all);
}

static void suggest(struct search *search, const struct check_value *value, double predicted, enum bottleneck kind) {
    const struct table_value *measured = &value->value;
    double wanted = measured->cycles;
    if (value->quantity == CHECK_SLOTS) {
        struct repair_numbers one = search->best;
        one.uops = whole(wanted);
        try_numbers(search, &one);
        return;
    }
    if (value->quantity == CHECK_LATENCY || kind == BOTTLENECK_DEPENDENCY) {
        double factor =
            value->quantity == CHECK_LATENCY || !value->value.n_parts ? 1 : 1 / value->value.parts[0].factor;
        double delta = (wanted - predicted) * factor;
        int cycles = (int)lround(measured->relation == TABLE_AT_MOST ? floor(delta + 0.05) : delta);
        if (cycles)
            suggest_latency(search, cycles);
    }
    if (value->quantity != CHECK_LATENCY && predicted > 0 && wanted > 0) {
        suggest_uses(search, wanted, predicted);
        if (kind == BOTTLENECK_DISPATCH) {
            struct repair_numbers one = search->best;
            one.uops = whole(one.uops * wanted / predicted);
            try_numbers(search, &one);
        }
    }
}

static int compare_numbers(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// Which write and which read each latency depends on, found by changing them: numbers + 1; 0: none, or several.
struct dependences {
    unsigned *write, *read;
};

static bool find_dependences(struct search *search, struct arena *arena, struct dependences *found) {
    struct predicted *all = ARENA_ARRAY(arena, struct predicted, search->n_values);
    static const double least = 0.5;
    struct cost cost;
    found->write = ARENA_ARRAY(arena, unsigned, search->n_values);
    found->read = ARENA_ARRAY(arena, unsigned, search->n_values);
    for (unsigned w = 0; w < search->best.n_writes; w++) {
        struct repair_numbers probe = search->best;
        probe.latencies[w] += 4; // more than any pipe limits the chain to
        if (!evaluate(search, &probe, &cost, all))
            return false;
        for (size_t i = 0; i < search->n_values; i++)
            if (all[i].cycles > search->predicted[i].cycles + least)
                found->write[i] = found->write[i] ? 0 : w + 1;
    }
    for (unsigned r = 0; r < search->best.n_reads; r++) {
        struct repair_numbers probe = search->best;
        probe.advances[r] -= 4;
        if (!evaluate(search, &probe, &cost, all))
            return false;
        for (size_t i = 0; i < search->n_values; i++)
            if (all[i].cycles > search->predicted[i].cycles + least)
                found->read[i] = found->read[i] ? 0 : r + 1;
    }
    return true;
}

// Latencies of the writes from the pairs whose source does not come early (`of_all`: of all pairs), and from each other
// pair by how much its source comes early.
static void solve(struct search *search, struct arena *arena, const struct dependences *found, bool of_all) {
    struct repair_numbers numbers = search->best;
    const struct check_value *values = search->repair->values;
    int *list = ARENA_ARRAY(arena, int, search->n_values);
    for (unsigned w = 0; w < numbers.n_writes; w++) {
        int most = -1, least = INT32_MAX;
        for (size_t i = 0; i < search->n_values; i++) {
            const struct check_value *value = &values[search->values[i]];
            unsigned read = found->read[i];
            bool counts = value->quantity == CHECK_LATENCY && can_be_repaired(value) && found->write[i] == w + 1;
            if (!counts || (!of_all && read && search->best.advances[read - 1]))
                continue;
            int cycles = (int)lround(value->value.cycles);
            if (value->value.relation == TABLE_AT_MOST && cycles < least)
                least = cycles;
            if (value->value.relation == TABLE_EQUAL && cycles > most)
                most = cycles;
        }
        if (most >= 0)
            numbers.latencies[w] = (unsigned)most;
        else if (least < (int)numbers.latencies[w] && least >= 0)
            numbers.latencies[w] = (unsigned)least;
    }
    for (unsigned r = 0; r < numbers.n_reads; r++) {
        size_t n = 0;
        for (size_t i = 0; i < search->n_values; i++) {
            const struct check_value *value = &values[search->values[i]];
            if (value->quantity == CHECK_LATENCY && can_be_repaired(value) && found->read[i] == r + 1 &&
                found->write[i] && value->value.relation == TABLE_EQUAL)
                list[n++] = (int)numbers.latencies[found->write[i] - 1] - (int)lround(value->value.cycles);
        }
        if (n) {
            qsort(list, n, sizeof *list, compare_numbers);
            numbers.advances[r] = list[n / 2];
        } else if (numbers.advances[r] && numbers.n_writes) {
            numbers.advances[r] += (int)numbers.latencies[0] - (int)search->best.latencies[0];
        }
    }
    try_numbers(search, &numbers);
}

// ---- the search

static bool is_suggested(const double *hints, size_t n, double hint) {
    static const double share = 0.005;
    for (size_t i = 0; i < n; i++)
        if (fabs(hints[i] - hint) <= share * fabs(hint))
            return true;
    return false;
}

static void search_round(struct search *search, struct arena *arena) {
    const struct check_value *values = search->repair->values;
    double hints[CHECK_N_QUANTITIES][MOST_HINTS];
    size_t n_hints[CHECK_N_QUANTITIES] = {0};
    bool has_latency = false;
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &values[search->values[i]];
        const struct predicted *predicted = &search->predicted[i];
        if (!can_be_repaired(value) || gap_find(value, predicted) == 0)
            continue;
        has_latency |= value->quantity == CHECK_LATENCY;
        // Equal differences suggest the same.
        double hint = value->quantity == CHECK_LATENCY ? value->value.cycles - predicted->cycles
                                                       : value->value.cycles * 1000 + predicted->cycles;
        size_t *n = &n_hints[value->quantity];
        if (*n == MOST_HINTS || is_suggested(hints[value->quantity], *n, hint))
            continue;
        hints[value->quantity][(*n)++] = hint;
        suggest(search, value, predicted->cycles, predicted->kind);
    }
    struct dependences found;
    if (has_latency && find_dependences(search, arena, &found)) {
        solve(search, arena, &found, false);
        solve(search, arena, &found, true);
    }
}

// Improves `best` as long as fewer values differ. False: nothing was found.
static bool search_numbers(struct search *search) {
    struct arena arena = {0};
    bool is_improved = false;
    search->predicted = ARENA_ARRAY(&arena, struct predicted, search->n_values);
    search->tried = ARENA_ARRAY(&arena, struct repair_numbers, MOST_TRIED);
    if (!evaluate(search, &search->best, &search->cost, search->predicted)) {
        arena_free(&arena);
        return false;
    }
    for (int round = 0; round < MOST_ROUNDS && search->cost.n_differ; round++) {
        search->next = search->best;
        search->next_cost = search->cost;
        search->n_tried = 0;
        search_round(search, &arena);
        if (search->next_cost.n_differ >= search->cost.n_differ && search->next_cost.gaps >= 0.9 * search->cost.gaps)
            break;
        search->best = search->next;
        is_improved = true;
        evaluate(search, &search->best, &search->cost, search->predicted);
    }
    arena_free(&arena);
    return is_improved;
}

// ---- members

static int compare_members(const void *a, const void *b) {
    const struct member *one = a, *other = b;
    int order = strcmp(one->key, other->key);
    return order ? order : strcmp(one->form, other->form);
}

// Its class and the numbers of its instruction, as text.
static const char *key_of(struct arena *arena, const struct member *member) {
    const struct repair_numbers *n = &member->numbers;
    struct text text = {.arena = arena};
    text_addf(&text, "%s %u:", member->class_name, n->uops);
    for (unsigned i = 0; i < n->n_writes; i++)
        text_addf(&text, " %u", n->latencies[i]);
    text_add(&text, ":");
    for (unsigned i = 0; i < n->n_reads; i++)
        text_addf(&text, " %d", n->advances[i]);
    text_add(&text, ":");
    for (unsigned i = 0; i < n->n_uses; i++)
        text_addf(&text, " %u,%u,%u", n->uses[i].resource, n->uses[i].acquire, n->uses[i].release);
    return text.data;
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
        struct member member = {.form = value->form, .class_name = value->class_name, .first = first, .end = end};
        const struct insn *insn = value->code && predictor_describe(&predictor, &scratch, value->code, &block, &fail)
                                      ? predictor_find_form(&block, value->form)
                                      : NULL;
        if (insn && repair_numbers_read(model->machine, insn, &member.numbers)) {
            member.opcode = arena_copy(repair->arena, value->form, strcspn(value->form, "-"));
            member.key = key_of(repair->arena, &member);
            *ARENA_ADD(repair->arena, repair->members, repair->n_members) = member;
        }
        arena_free(&scratch);
    }
    if (repair->n_members)
        qsort(repair->members, repair->n_members, sizeof *repair->members, compare_members);
}

// ---- rules

static const char *describe_value(struct arena *arena, const struct check_value *value, double predicted,
                                  const char *folder) {
    return arena_printf(arena,
                        "  # %s %s%s%s: measured %s%.4g [%.4g, %.4g], LLVM %.4g; cyclops run --kernels %s/kernels %s\n",
                        value->form, check_quantity_name(value->quantity), *value->detail ? " " : "", value->detail,
                        value->value.relation == TABLE_AT_MOST ? "at most " : "", value->value.cycles, value->value.low,
                        value->value.high, predicted, folder, value->value.kernel ? value->value.kernel : value->form);
}

static const char *evidence_of(const struct repair *repair, const struct member *members, size_t n) {
    struct text text = {.arena = repair->arena};
    size_t n_written = 0, n_all = 0;
    for (size_t m = 0; m < n; m++)
        for (size_t i = members[m].first; i < members[m].end; i++)
            if (repair->gaps[i] > 0) {
                if (n_written < MOST_EVIDENCE) {
                    n_written++;
                    text_add(&text, describe_value(repair->arena, &repair->values[i], repair->base[i].cycles,
                                                   repair->request->folder));
                }
                n_all++;
            }
    if (n_all > n_written)
        text_addf(&text, "  # and %zu more values\n", n_all - n_written);
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

// Sets the values to try changes with: of the members' that are compared those that are not alike, with their weights.
static void take_values(struct arena *arena, struct search *search, const struct member *members, size_t n) {
    const struct repair *repair = search->repair;
    size_t *values = ARENA_ARRAY(arena, size_t, MOST_VALUES_TRIED),
           *weights = ARENA_ARRAY(arena, size_t, MOST_VALUES_TRIED);
    for (size_t m = 0; m < n; m++)
        for (size_t i = members[m].first; i < members[m].end; i++) {
            size_t k = 0;
            if (repair->gaps[i] < 0)
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

static size_t count_differing(const struct repair *repair, const struct member *member) {
    size_t n = 0;
    for (size_t i = member->first; i < member->end; i++)
        n += repair->gaps[i] > 0;
    return n;
}

static struct search open_search(struct arena *arena, struct repair *repair, const struct member *members, size_t n,
                                 const struct repair_numbers *start) {
    struct search search = {.repair = repair, .base = members->numbers, .best = *start};
    take_values(arena, &search, members, n);
    search.opcodes = ARENA_ARRAY(arena, const char *, search.n_values);
    for (size_t i = 0; i < search.n_values; i++) {
        const char *form = repair->values[search.values[i]].form, *opcode = arena_copy(arena, form, strcspn(form, "-"));
        if (text_find(opcode, search.opcodes, search.n_opcodes) == search.n_opcodes)
            search.opcodes[search.n_opcodes++] = opcode;
    }
    return search;
}

static void add_rule(struct repair *repair, const struct search *search, const struct repair_numbers *before,
                     const struct member *members, size_t n, bool is_of_class) {
    struct repair_rule rule = {.opcodes = ARENA_ARRAY(repair->arena, const char *, n),
                               .before = *before,
                               .after = search->best,
                               .is_of_class = is_of_class,
                               .class_name = members->class_name,
                               .evidence = evidence_of(repair, members, n)};
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(members[i].opcode, rule.opcodes[rule.n_opcodes - 1]) != 0)
            rule.opcodes[rule.n_opcodes++] = members[i].opcode;
    *ARENA_ADD(repair->arena, repair->rules, repair->n_rules) = rule;
}

// Repairs forms of one class with the same numbers: all of them at once, then those that still differ.
static void repair_group(struct repair *repair, const struct member *members, size_t n) {
    struct arena arena = {0};
    size_t n_differ = 0;
    for (size_t i = 0; i < n; i++)
        n_differ += count_differing(repair, &members[i]);
    if (n_differ == 0)
        return;
    struct search search = open_search(&arena, repair, members, n, &members->numbers);
    struct repair_numbers of_class = members->numbers;
    if (search.n_values && search_numbers(&search)) {
        add_rule(repair, &search, &members->numbers, members, n, true);
        of_class = search.best;
    }
    for (size_t i = 0, end; n > 1 && i < n; i = end) {
        for (end = i + 1; end < n && strcmp(members[end].opcode, members[i].opcode) == 0;)
            end++;
        struct search one = open_search(&arena, repair, &members[i], end - i, &of_class);
        size_t n_before;
        struct cost cost;
        if (!one.n_values || !evaluate(&one, &of_class, &cost, NULL) || !cost.n_differ)
            continue;
        n_before = cost.n_differ;
        if (search_numbers(&one) && one.cost.n_differ < n_before)
            add_rule(repair, &one, &of_class, &members[i], end - i, false);
    }
    arena_free(&arena);
}

// ---- the whole

static const char *write_all(struct repair *repair, const char *about) {
    struct text text = {.arena = repair->arena};
    const struct machine *machine = repair->request->model->machine;
    repair_head_write(machine, repair->request->name, about, repair->dispatch_width, &text);
    size_t n = 0;
    for (size_t i = 0; i < repair->n_rules; i++)
        n += repair->rules[i].n_opcodes > 0;
    text_add(&text, n ? "instructions:\n" : "");
    for (size_t i = 0; i < repair->n_rules; i++)
        if (repair->rules[i].n_opcodes)
            repair_rule_write(repair->arena, machine, &repair->rules[i], &text);
    return text.data;
}

static void remove_opcode(struct repair *repair, const char *opcode) {
    for (size_t i = 0; i < repair->n_rules; i++) {
        struct repair_rule *rule = &repair->rules[i];
        size_t n = 0;
        for (size_t k = 0; k < rule->n_opcodes; k++)
            if (strcmp(rule->opcodes[k], opcode) != 0)
                rule->opcodes[n++] = rule->opcodes[k];
        rule->n_opcodes = n;
    }
}

// Takes back the changes of all instructions in a value's programs.
static void remove_programs(struct repair *repair, struct predictor *predictor, const struct check_value *value) {
    for (size_t i = 0; i < value->value.n_parts; i++) {
        struct arena scratch = {0};
        struct fail fail = {0};
        struct block block = {0};
        if (predictor_describe(predictor, &scratch, value->value.parts[i].bytes, &block, &fail))
            for (unsigned k = 0; k < block.n_insns; k++)
                remove_opcode(repair, block.insns[k].opcode);
        arena_free(&scratch);
    }
}

// Predicts all values with the repair, and takes back what makes one worse. False: Cyclops itself failed.
static bool verify(struct repair *repair, const char *about, struct repair_result *result, struct fail *fail) {
    enum { ROUNDS_OF_FORMS = 4, ROUNDS_OF_WIDTH = 8, ROUNDS = 20 };
    for (int round = 0; round < ROUNDS; round++) {
        struct arena arena = {0};
        struct check_difference *differences = NULL;
        size_t n_differences = 0;
        struct predictor predictor;
        result->overlay = write_all(repair, about);
        struct overlay *overlay = overlay_parse(&arena, "the repair", result->overlay, fail);
        bool is_good = overlay && predictor_open_changed(&predictor, &arena, repair->request->model, overlay,
                                                         repair->n_values, fail);
        result->n_differ_after = result->n_worse = 0;
        for (size_t i = 0; is_good && i < repair->n_values; i++) {
            const struct check_value *value = &repair->values[i];
            if (repair->gaps[i] < 0)
                continue;
            struct predicted predicted = predictor_predict(&predictor, value);
            double gap = predicted.is_known ? gap_find(value, &predicted) : INFINITY;
            if (gap > 0) {
                result->n_differ_after++;
                if (predicted.is_known)
                    *ARENA_ADD(&arena, differences, n_differences) = gap_describe(&arena, value, &predicted);
            }
            if (gap <= repair->gaps[i] * (1 + 1e-9))
                continue;
            result->n_worse++;
            if (round < ROUNDS_OF_FORMS)
                remove_opcode(repair, arena_copy(&arena, value->form, strcspn(value->form, "-")));
            else
                remove_programs(repair, &predictor, value);
        }
        if (result->n_worse && round >= ROUNDS_OF_WIDTH)
            repair->dispatch_width = 0; // no rule is left in these programs
        const struct check_finding *findings;
        check_find(&arena, CHECK_GAP, differences, n_differences, &findings, &result->n_findings_after);
        overlay_close(overlay);
        arena_free(&arena);
        if (!is_good || result->n_worse == 0)
            return is_good;
    }
    return true;
}

static void predict_base(struct repair *repair, struct repair_result *result) {
    struct predictor predictor;
    struct check_difference *differences = NULL;
    size_t n_differences = 0;
    predictor_open(&predictor, repair->arena, repair->request->model);
    repair->base = ARENA_ARRAY(repair->arena, struct predicted, repair->n_values);
    repair->gaps = ARENA_ARRAY(repair->arena, double, repair->n_values);
    for (size_t i = 0; i < repair->n_values; i++) {
        const struct check_value *value = &repair->values[i];
        repair->gaps[i] = -1;
        if (!gap_is_sure(value))
            continue;
        repair->base[i] = predictor_predict(&predictor, value);
        if (!repair->base[i].is_known)
            continue;
        repair->gaps[i] = gap_find(value, &repair->base[i]);
        result->n_compared++;
        if (repair->gaps[i] > 0)
            *ARENA_ADD(repair->arena, differences, n_differences) =
                gap_describe(repair->arena, value, &repair->base[i]);
    }
    const struct check_finding *findings;
    result->n_differ_before = n_differences;
    check_find(repair->arena, CHECK_GAP, differences, n_differences, &findings, &result->n_findings_before);
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
    struct search search = {.repair = repair, .values = list, .n_values = n};
    static const char *none[] = {"none"}; // no opcode is called so
    search.opcodes = none;
    search.n_opcodes = 1;
    struct predicted *all = ARENA_ARRAY(repair->arena, struct predicted, n);
    size_t least = SIZE_MAX;
    unsigned best_width = 0;
    for (unsigned width = 1; width <= 2 * machine->dispatch_width; width++) {
        struct cost cost;
        size_t n_worse = 0, n_better = 0;
        repair->dispatch_width = width;
        if (width == machine->dispatch_width || !evaluate(&search, &search.base, &cost, all) || cost.n_differ >= least)
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
    const struct member *one = a, *other = b;
    int order = strcmp(one->opcode, other->opcode);
    return order ? order : strcmp(one->form, other->form);
}

// The rules that name the opcode, one after the other.
static void apply_rules(const struct repair *repair, struct repair_change *change) {
    for (size_t i = 0; i < repair->n_rules; i++) {
        const struct repair_rule *rule = &repair->rules[i];
        if (text_find(change->opcode, rule->opcodes, rule->n_opcodes) < rule->n_opcodes)
            repair_rule_apply(rule, &change->after);
    }
}

static void find_changes(struct repair *repair, struct repair_result *result) {
    struct repair_change *changes = NULL;
    size_t n = 0;
    if (repair->n_members)
        qsort(repair->members, repair->n_members, sizeof *repair->members, compare_opcodes);
    for (size_t first = 0, end; first < repair->n_members; first = end) {
        const struct member *member = &repair->members[first];
        struct repair_change change = {member->opcode, member->numbers, member->numbers, false};
        for (end = first + 1; end < repair->n_members && strcmp(repair->members[end].opcode, member->opcode) == 0; end++)
            change.depends_on_operands |= strcmp(repair->members[end].key, member->key) != 0;
        apply_rules(repair, &change);
        *ARENA_ADD(repair->arena, changes, n) = change;
    }
    result->changes = changes;
    result->n_changes = n;
    result->dispatch_width = repair->dispatch_width;
}

bool repair_run(struct arena *arena, const struct repair_request *request, struct repair_result *result,
                struct fail *fail) {
    struct repair repair = {
        .arena = arena, .request = request, .values = request->results->values, .n_values = request->results->n_values};
    *result = (struct repair_result){.overlay = ""};
    predict_base(&repair, result);
    find_members(&repair);
    repair_width(&repair);
    for (size_t first = 0, end; first < repair.n_members; first = end) {
        for (end = first + 1;
             end < repair.n_members && strcmp(repair.members[end].key, repair.members[first].key) == 0;)
            end++;
        lab_say_measuring(request->listener, end, repair.n_members);
        repair_group(&repair, &repair.members[first], end - first);
    }
    lab_say_measuring(request->listener, repair.n_members + 1, repair.n_members);
    const char *about = arena_printf(arena, "\"%s, repaired by measurements of %s\"", request->model->machine->id,
                                     request->results->machine);
    if (!verify(&repair, about, result, fail))
        return false;
    for (size_t i = 0; i < repair.n_rules; i++) {
        result->n_class_rules += repair.rules[i].n_opcodes && repair.rules[i].is_of_class;
        result->n_form_rules += repair.rules[i].n_opcodes && !repair.rules[i].is_of_class;
    }
    find_changes(&repair, result);
    return true;
}
