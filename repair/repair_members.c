// The forms of a repair: which instruction each of them is, with LLVM's numbers, and the values that it has.
#include "repair/repair_state.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

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

void repair_find_commonness(struct repair *repair) {
    const struct machine *machine = repair->request->model->machine;
    repair->commonness = ARENA_ARRAY(repair->arena, double, machine->n_resources);
    for (unsigned r = 1; r < machine->n_resources; r++)
        for (size_t m = 0; m < repair->n_members; m++)
            if (uses_pipes_of(machine, &repair->members[m].numbers, r))
                repair->commonness[r] += 1.0 / (double)repair->n_members;
}

static void find_others(struct arena *arena, const struct block *block, struct repair_member *member) {
    for (unsigned i = 0; i < block->n_insns; i++) {
        const char *opcode = form_unit_of(arena, &block->insns[i]);
        if (strcmp(opcode, member->opcode) != 0 &&
            text_find(opcode, member->others, member->n_others) == member->n_others)
            *ARENA_ADD(arena, member->others, member->n_others) = arena_strdup(arena, opcode);
    }
}

bool repair_is_seen(const struct repair *repair, const struct repair_member *member) {
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
        bool is_plain = form_is_plain(member->form), follows = false;
        for (size_t k = 0; !is_plain && k < repair->n_members && !follows; k++)
            follows =
                strcmp(repair->members[k].form, member->opcode) == 0 && repair_is_seen(repair, &repair->members[k]);
        for (size_t i = member->first; i < member->end; i++)
            repair->follow[i] = follows;
    }
}

void repair_find_members(struct repair *repair) {
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
            member.opcode = form_unit(repair->arena, value->form);
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

const char *repair_member_key(struct arena *arena, const struct repair_member *member) {
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
        text_addf(&text, " %u,%u,%u,%u", n->uses[i].resource, n->uses[i].acquire, n->uses[i].release, n->uses[i].units);
    text_add(&text, n->has_fixed_uses ? " fixed" : n->has_fixed_pipes ? " pipes" : "");
    return text.data;
}

bool repair_is_shared_bound(const struct repair *repair, const struct repair_member *member, size_t i) {
    const struct check_value *value = &repair->values[i];
    return member->n_others && value->quantity == CHECK_THROUGHPUT && value->value.relation == TABLE_AT_MOST;
}

bool repair_is_taken(const struct repair *repair, const struct repair_member *member, size_t i) {
    return repair->gaps[i] >= 0 && !repair->follow[i] &&
           (repair->takes_bounds || !repair_is_shared_bound(repair, member, i));
}
