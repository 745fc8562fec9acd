#include "analyzer/sim/mca/ready_lists.h"

enum { WORD_BITS = 64 };

void ready_lists_init(struct ready_lists *ready, const struct flight *flight, struct stash *stash) {
    const struct simulation_plan *plan = flight->plan;
    ready->lists = STASH_ARRAY(stash, struct ready_list, plan->n_issue_classes);
    for (unsigned c = 0; c < plan->n_issue_classes; c++)
        ready->lists[c] =
            (struct ready_list){.first = NO_SLOT, .last = NO_SLOT, .alike = &plan->insns[plan->class_position[c]]};
    ready->n_words = (plan->n_issue_classes + WORD_BITS - 1) / WORD_BITS;
    ready->has_any = STASH_ZEROED(stash, uint64_t, ready->n_words);
    ready->n_classes = plan->n_issue_classes;
    ready->all_lists = STASH_ARRAY(stash, struct ready_list *, plan->n_issue_classes);
    ready->is_ordered = false;
}

// Age, less the number of instructions known to wait for the result; the smallest goes first. Of equals the older
// one: it has fewer users.
static int64_t rank_of(const struct in_flight *insn) {
    enum { MOST_USERS = 1 << 24 };
    return ((int64_t)insn->index - insn->users) * MOST_USERS + insn->users;
}

static void set_has_any(struct ready_lists *ready, const struct ready_list *list, bool has) {
    size_t class = (size_t)(list - ready->lists);
    uint64_t bit = 1ULL << class % WORD_BITS, *word = &ready->has_any[class / WORD_BITS];
    *word = has ? *word | bit : *word & ~bit;
}

static inline void remove_first(struct ready_lists *ready, struct flight *flight, struct ready_list *list,
                                const struct in_flight *insn) {
    list->first = insn->after;
    if (insn->after != NO_SLOT) {
        flight->slots[insn->after].before = NO_SLOT;
        return;
    }
    list->last = NO_SLOT;
    set_has_any(ready, list, false);
}

static void remove_ready(struct ready_lists *ready, struct flight *flight, const struct in_flight *insn) {
    struct in_flight *slots = flight->slots;
    struct ready_list *list = &ready->lists[insn->plan->issue_class];
    if (insn->before == NO_SLOT) {
        remove_first(ready, flight, list, insn);
        return;
    }
    slots[insn->before].after = insn->after;
    if (insn->after != NO_SLOT)
        slots[insn->after].before = insn->before;
    else
        list->last = insn->before;
}

// Sorted by rank; most come in at the end.
void ready_lists_add(struct ready_lists *ready, struct flight *flight, struct in_flight *insn, uint32_t slot) {
    struct in_flight *slots = flight->slots;
    struct ready_list *list = &ready->lists[insn->plan->issue_class];
    uint32_t before = list->last, after = NO_SLOT;
    insn->rank = rank_of(insn);
    while (before != NO_SLOT && slots[before].rank > insn->rank) {
        after = before;
        before = slots[before].before;
    }
    insn->before = before;
    insn->after = after;
    *(after != NO_SLOT ? &slots[after].before : &list->last) = slot;
    if (before != NO_SLOT) {
        slots[before].after = slot;
        return;
    }
    list->first = slot;
    ready->is_ordered = false;
    set_has_any(ready, list, true);
}

void ready_lists_rank_again(struct ready_lists *ready, struct flight *flight) {
    for (unsigned i = 0; i < flight->n_bumped; i++) {
        struct in_flight *insn = &flight->slots[flight->bumped[i]];
        remove_ready(ready, flight, insn);
        ready_lists_add(ready, flight, insn, flight->bumped[i]);
    }
    flight->n_bumped = 0;
}

// The list goes back to its place, behind those that go first.
static inline void order_first(struct ready_lists *ready, const struct flight *flight) {
    const struct in_flight *slots = flight->slots;
    struct ready_list **at = ready->order, *list = *at;
    int64_t rank = slots[list->first].rank;
    for (; at + 1 < ready->order_end && slots[at[1]->first].rank < rank; at++)
        at[0] = at[1];
    *at = list;
}

void ready_lists_order(struct ready_lists *ready, const struct flight *flight) {
    struct ready_list **at = ready->order_end = ready->all_lists + ready->n_classes;
    ready->order = at;
    for (unsigned w = 0; w < ready->n_words; w++)
        for (uint64_t classes = ready->has_any[w]; classes != 0; classes &= classes - 1) {
            *--ready->order = &ready->lists[w * WORD_BITS + (unsigned)__builtin_ctzll(classes)];
            order_first(ready, flight);
        }
    ready->is_ordered = true;
}

struct in_flight *ready_lists_take(struct ready_lists *ready, struct flight *flight) {
    struct ready_list *list = *ready->order;
    struct in_flight *insn = &flight->slots[list->first];
    remove_first(ready, flight, list, insn);
    if (list->first == NO_SLOT)
        ready->order++;
    else
        order_first(ready, flight);
    return insn;
}
