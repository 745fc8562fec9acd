// Bounds of a form together with other instructions. These are looked at last: what of a bound is the form's own shows
// only once the others are repaired.
#include "repair/repair_state.h"

#include "base/text.h"

#include <string.h>

// Whether the member's throughput was measured by itself.
static bool has_own_throughput(const struct repair *repair, const struct repair_member *member) {
    for (size_t i = member->first; i < member->end; i++)
        if (repair->gaps[i] >= 0 && repair->values[i].quantity == CHECK_THROUGHPUT)
            return !repair_is_shared_bound(repair, member, i);
    return false;
}

static const struct repair_member *find_member(const struct repair *repair, const char *opcode) {
    for (size_t i = 0; i < repair->n_members; i++)
        if (strcmp(repair->members[i].opcode, opcode) == 0 && has_own_throughput(repair, &repair->members[i]))
            return &repair->members[i];
    return NULL;
}

// The instructions beside the forms as they are repaired. One that was not measured by itself takes no pipe: what is
// above a bound then is the form's own.
static void set_context(struct repair *repair, struct arena *arena, const struct repair_member *member,
                        struct repair_search *search) {
    static const struct repair_numbers one_use = {.n_uses = 1, .uses = {{.resource = 1, .release = 1}}},
                                       no_use = {.n_uses = 1, .uses = {{.resource = 1}}};
    struct repair_rule *rules = ARENA_ARRAY(arena, struct repair_rule, search->n_context + member->n_others);
    if (search->n_context)
        memcpy(rules, search->context, search->n_context * sizeof *rules);
    for (size_t i = 0; i < member->n_others; i++) {
        const struct repair_member *other = find_member(repair, member->others[i]);
        struct repair_rule rule = {.opcodes = &member->others[i], .n_opcodes = 1, .before = one_use, .after = no_use};
        if (other) {
            rule.before = rule.after = other->numbers;
            repair_apply_rules(repair, other->opcode, &rule.after);
        }
        if (!other || !repair_numbers_are_equal(&rule.before, &rule.after))
            rules[search->n_context++] = rule;
    }
    search->context = rules;
}

// Repairs forms, of which all is alike, by what bounds them together with others.
static void repair_bounds(struct repair *repair, const struct repair_member *members, size_t n, bool is_of_class) {
    struct arena arena = {0};
    struct repair_numbers now = members->numbers;
    struct repair_cost cost;
    repair_apply_rules(repair, members->opcode, &now);
    struct repair_search search = repair_open_search(&arena, repair, members, n, &now);
    set_context(repair, &arena, members, &search);
    search.is_careful = true;
    if (search.n_values && repair_evaluate(&search, &now, &cost, NULL) && cost.n_differ) {
        size_t n_before = cost.n_differ;
        if (repair_search_run(&search) && search.cost.n_differ < n_before)
            repair_add_rule(repair, &search, &now, members, n, is_of_class);
    }
    arena_free(&arena);
}

static bool has_shared_bound(const struct repair *repair, const struct repair_member *member) {
    for (size_t i = member->first; i < member->end; i++)
        if (repair->gaps[i] > 0 && repair_is_shared_bound(repair, member, i))
            return true;
    return false;
}

// Whether two members of one group are bounded with the same others, and repaired alike so far.
static bool are_bounded_alike(const struct repair *repair, const struct repair_member *a,
                              const struct repair_member *b) {
    struct repair_numbers one = a->numbers, other = b->numbers;
    for (size_t i = 0; i < a->n_others; i++)
        if (text_find(a->others[i], b->others, b->n_others) == b->n_others)
            return false;
    repair_apply_rules(repair, a->opcode, &one);
    repair_apply_rules(repair, b->opcode, &other);
    return a->n_others == b->n_others && repair_numbers_are_equal(&one, &other);
}

// Members of one group.
static void repair_bounds_of(struct repair *repair, const struct repair_member *members, size_t n) {
    struct arena arena = {0};
    bool *are_done = ARENA_ARRAY(&arena, bool, n);
    struct repair_member *alike = ARENA_ARRAY(&arena, struct repair_member, n);
    for (size_t i = 0; i < n; i++) {
        size_t n_alike = 0;
        if (are_done[i] || !has_shared_bound(repair, &members[i]))
            continue;
        for (size_t k = i; k < n; k++)
            if (!are_done[k] && has_shared_bound(repair, &members[k]) &&
                are_bounded_alike(repair, &members[i], &members[k])) {
                are_done[k] = true;
                alike[n_alike++] = members[k];
            }
        repair_bounds(repair, alike, n_alike, n_alike == n);
    }
    arena_free(&arena);
}

void repair_by_bounds(struct repair *repair) {
    repair->takes_bounds = true;
    for (size_t first = 0, end; first < repair->n_members; first = end) {
        end = repair_end_of_group(repair, first);
        repair_bounds_of(repair, &repair->members[first], end - first);
    }
}
