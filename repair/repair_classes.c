// Opcodes of which the repair sees no value: not measured, as in a part of a survey, or unstable, or held out. Where
// nearly all opcodes of their class that had the same numbers come to the same numbers, these are theirs, too.
#include "repair/repair_state.h"

#include "analyzer/model/vector_forms.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static int compare_unseen(const void *a, const void *b) {
    const struct repair_unseen *one = a, *other = b;
    int order = strcmp(one->key, other->key);
    return order ? order : strcmp(one->opcode, other->opcode);
}

// `unseen` has room for all members and forms.
static void add_unseen(struct repair *repair, const struct repair_member *member) {
    repair->unseen[repair->n_unseen++] = (struct repair_unseen){member->key, member->opcode, member->numbers};
}

static int compare_opcodes(const void *a, const void *b) {
    const struct repair_unseen *one = a, *other = b;
    int order = strcmp(one->opcode, other->opcode);
    return order ? order : strcmp(one->key, other->key);
}

// Leaves each opcode once, and none whose numbers depend on its operands: a rule is of all of them.
static void drop_ambiguous(struct repair *repair) {
    struct repair_unseen *list = repair->unseen;
    size_t n = 0;
    if (repair->n_unseen)
        qsort(list, repair->n_unseen, sizeof *list, compare_opcodes);
    for (size_t first = 0, end; first < repair->n_unseen; first = end) {
        bool is_clear = true;
        for (end = first + 1; end < repair->n_unseen && strcmp(list[end].opcode, list[first].opcode) == 0; end++)
            is_clear &= strcmp(list[end].key, list[first].key) == 0;
        if (is_clear)
            list[n++] = list[first];
    }
    repair->n_unseen = n;
    if (n)
        qsort(list, n, sizeof *list, compare_unseen);
}

static bool has_name(const char *name, const char *const *names, size_t n) {
    return n && bsearch(&name, names, n, sizeof *names, text_compare);
}

// Moves members of which no value is compared to the others. Returns the names of all opcodes that stay, sorted.
static const char **take_unseen_members(struct repair *repair, size_t *n_seen) {
    const char **seen = ARENA_ARRAY(repair->arena, const char *, repair->n_members);
    size_t n = 0;
    *n_seen = 0;
    for (size_t i = 0; i < repair->n_members; i++)
        if (repair_is_seen(repair, &repair->members[i]))
            seen[(*n_seen)++] = repair->members[i].opcode;
    *n_seen = text_sort(seen, *n_seen);
    for (size_t i = 0; i < repair->n_members; i++) {
        // Another form of an opcode that is seen belongs to it.
        if (has_name(repair->members[i].opcode, seen, *n_seen))
            repair->members[n++] = repair->members[i];
        else
            add_unseen(repair, &repair->members[i]);
    }
    repair->n_members = n;
    return seen;
}

// An opcode of LLVM's that the survey does not name. Those that it names and leaves out are not this CPU's.
static void add_form(struct repair *repair, struct arena *scratch, const struct form *form) {
    struct fail fail = {0};
    struct block block;
    const struct model *model = repair->request->model;
    struct repair_member member = {.form = form->name,
                                   .opcode = form->vector.sew ? form->name : form->opcode,
                                   .class_name = form->sched_class_name};
    const struct insn *insn = model_describe_part(model, scratch, form->bytes - form->n_setup_bytes,
                                                  form->n_setup_bytes, form->n_bytes, &block, &fail)
                                  ? predictor_find_form(&block, form->name)
                                  : NULL;
    if (insn && repair_numbers_read(model->machine, insn, &member.numbers)) {
        member.key = repair_member_key(repair->arena, &member);
        add_unseen(repair, &member);
    }
    arena_reset(scratch);
}

// RISC-V: adds the forms with each pair of element and group where the survey has such. What is not allowed is no form.
// Returns whether there are pairs.
static bool add_vector_pairs(struct repair *repair) {
    struct vector_config pairs[VECTOR_N_PAIRS];
    bool has_pairs = false;
    for (size_t i = 0; i < repair->n_members; i++)
        has_pairs |= vector_config_in_name(repair->members[i].form, NULL) != NULL;
    for (unsigned i = 0; i < VECTOR_N_PAIRS; i++)
        pairs[i] = vector_config_pair(i);
    if (has_pairs)
        vector_forms_add(repair->arena, repair->request->model, pairs, VECTOR_N_PAIRS, &repair->forms,
                         &repair->n_forms);
    return has_pairs;
}

// Whether an opcode may follow its class. Without a pair, a rule is of all pairs, those that are measured as well.
static bool may_follow(const struct form *form, bool has_pairs) {
    return form->status == FORM_USABLE && form->bytes && form->sched_class_name && !form->refused &&
           (!has_pairs || form->vector.sew || !vector_config_matters(form));
}

bool repair_find_unseen(struct repair *repair, struct fail *fail) {
    const struct model *model = repair->request->model;
    const struct check_results *results = repair->request->results;
    struct arena scratch = {0};
    if (!model->backend->forms(model->cpu, repair->arena, &repair->forms, &repair->n_forms, fail))
        return false;
    const bool has_pairs = add_vector_pairs(repair);
    repair->unseen =
        arena_alloc_uncleared(repair->arena, (repair->n_members + repair->n_forms) * sizeof *repair->unseen);
    size_t n_seen;
    const char **seen = take_unseen_members(repair, &n_seen);
    const struct form *forms = repair->forms;
    for (size_t i = 0; i < repair->n_forms; i++)
        if (may_follow(&forms[i], has_pairs) &&
            !has_name(forms[i].vector.sew ? forms[i].name : forms[i].opcode, seen, n_seen) &&
            !has_name(forms[i].name, results->left_out, results->n_left_out))
            add_form(repair, &scratch, &forms[i]);
    arena_free(&scratch);
    drop_ambiguous(repair);
    return true;
}

// Opcodes of a group; several forms of one count once.
static size_t count_opcodes(const struct repair_member *members, size_t n) {
    size_t n_opcodes = 0;
    for (size_t i = 0; i < n; i++)
        n_opcodes += i == 0 || strcmp(members[i].opcode, members[i - 1].opcode) != 0;
    return n_opcodes;
}

// Numbers to which most members of a group come. False: to none, or to LLVM's.
static bool find_common(const struct repair *repair, const struct repair_member *members, size_t n,
                        struct repair_numbers *numbers) {
    struct arena arena = {0};
    struct repair_numbers *all = ARENA_ARRAY(&arena, struct repair_numbers, n);
    // Of values that a repair did not see, fewer lie outside than if all had to agree, and hardly more become worse; of
    // half of them, many more do.
    static const double least_share = 0.75;
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        all[i] = members[i].numbers;
        repair_apply_rules(repair, members[i].opcode, &all[i]);
    }
    for (size_t i = 0; i < n; i++) {
        size_t n_alike = 0;
        for (size_t k = 0; k < n; k++)
            n_alike += repair_numbers_are_equal(&all[i], &all[k]);
        if (n_alike > most) {
            most = n_alike;
            *numbers = all[i];
        }
    }
    arena_free(&arena);
    return (double)most >= least_share * (double)n && !repair_numbers_are_equal(numbers, &members->numbers);
}

// The opcodes without a value of a group, which are [first, end) of them.
static void find_range(const struct repair *repair, const char *key, size_t *first, size_t *end) {
    size_t low = 0, high = repair->n_unseen;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(repair->unseen[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*first = *end = low; *end < repair->n_unseen && strcmp(repair->unseen[*end].key, key) == 0;)
        ++*end;
}

// Whether a rule of one of the members names pipes that are a guess.
static bool has_guess(const struct repair *repair, const struct repair_member *members, size_t n) {
    for (size_t r = 0; r < repair->n_rules; r++)
        for (size_t i = 0; repair->rules[r].is_guess && i < n; i++)
            if (text_find(members[i].opcode, repair->rules[r].opcodes, repair->rules[r].n_opcodes) <
                repair->rules[r].n_opcodes)
                return true;
    return false;
}

static void spread_group(struct repair *repair, const struct repair_member *members, size_t n) {
    struct repair_rule rule = {.before = members->numbers, .is_of_class = true, .class_name = members->class_name};
    size_t first, end;
    find_range(repair, members->key, &first, &end);
    if (first == end || !find_common(repair, members, n, &rule.after))
        return;
    size_t n_opcodes = count_opcodes(members, n);
    rule.opcodes = ARENA_ARRAY(repair->arena, const char *, end - first);
    for (size_t i = first; i < end; i++)
        rule.opcodes[rule.n_opcodes++] = repair->unseen[i].opcode;
    rule.evidence =
        n_opcodes == 1
            ? arena_printf(repair->arena, "  # Without a value: as %s of their class\n", members->opcode)
            : arena_printf(repair->arena, "  # Without a value: as %s and others of their class, %zu in all\n",
                           members->opcode, n_opcodes);
    rule.is_spread = true;
    rule.is_guess = has_guess(repair, members, n);
    if (rule.is_guess)
        rule.evidence = arena_printf(repair->arena, "%s  # Their pipes are a guess\n", rule.evidence);
    *ARENA_ADD(repair->arena, repair->rules, repair->n_rules) = rule;
}

void repair_spread(struct repair *repair) {
    for (size_t first = 0, end; first < repair->n_members; first = end) {
        end = repair_end_of_group(repair, first);
        spread_group(repair, &repair->members[first], end - first);
    }
}

void repair_unspread(struct repair *repair) {
    for (size_t i = 0; i < repair->n_rules; i++)
        if (repair->rules[i].is_spread)
            repair->rules[i].n_opcodes = 0;
}

bool repair_unspread_opcode(struct repair *repair, const char *opcode) {
    for (size_t i = 0; i < repair->n_rules; i++) {
        struct repair_rule *rule = &repair->rules[i];
        size_t at = rule->is_spread ? text_find(opcode, rule->opcodes, rule->n_opcodes) : rule->n_opcodes;
        if (at == rule->n_opcodes)
            continue;
        rule->n_opcodes--;
        memmove(&rule->opcodes[at], &rule->opcodes[at + 1], (rule->n_opcodes - at) * sizeof *rule->opcodes);
        return true;
    }
    return false;
}
