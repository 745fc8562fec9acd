// Forms of other operands, such as LEA64r-rip, of which their opcode's numbers are wrong: rules that name them.
#include "repair/repair_forms.h"

static void set_follows(struct repair *repair, const struct repair_member *member, bool follows) {
    for (size_t i = member->first; i < member->end; i++)
        repair->follow[i] = follows;
}

// Searches the form's own numbers, from those of its opcode on. False: these do as well.
static bool add_form(struct repair *repair, const struct repair_member *member) {
    struct arena arena = {0};
    struct repair_cost cost;
    struct repair_numbers of_opcode = member->numbers;
    const size_t n_before = repair->n_rules;
    repair_apply_rules(repair, member->opcode, &of_opcode);
    struct repair_search search = repair_open_search(&arena, repair, member, 1, &of_opcode);
    search.is_careful = true;
    if (search.n_values && repair_evaluate(&search, &of_opcode, &cost, NULL) && cost.n_differ &&
        repair_search_run(&search) && (search.cost.n_worse < cost.n_worse || search.cost.n_differ < cost.n_differ)) {
        struct repair_member itself = *member;
        itself.opcode = member->form;
        repair_add_rule(repair, &search, &of_opcode, &itself, 1, false);
    }
    arena_free(&arena);
    if (repair->n_rules == n_before)
        return false;
    repair->rules[n_before].is_of_form = true;
    return true;
}

size_t repair_add_forms(struct repair *repair) {
    size_t n = 0;
    for (const struct repair_member *member = repair->members; member < repair->members + repair->n_members; member++) {
        if (!repair->follow[member->first])
            continue;
        set_follows(repair, member, false);
        n += add_form(repair, member);
        set_follows(repair, member, true);
    }
    return n;
}
