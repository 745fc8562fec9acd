#include "analyzer/sim/mca/overlap.h"

// What is left of each resource while the uses of one instruction are tried.
struct overlap_left {
    unsigned left[MAX_RESOURCES];
    uint64_t known;    // own bits of resources that `left` holds for
    uint64_t consumed; // of resources with nothing left
};

// Tries to give each group of the instruction a unit that its other uses leave.
static uint64_t busy_in_overlap(const struct resource_unit *unit, const struct plan_insn *insn,
                                struct overlap_left *trial) {
    uint64_t busy = 0;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        const struct plan_use *use = &insn->uses[i];
        if (use->reserves || !use->is_group)
            continue;
        uint64_t ready = pipes_ready(unit, use->bit) & ~trial->consumed;
        if (ready == 0) {
            busy |= pipes_ready(unit, use->bit);
            continue;
        }
        unsigned bit = 63 - (unsigned)__builtin_clzll(ready);
        uint64_t own = 1ULL << bit;
        if (!(trial->known & own))
            trial->left[bit] = pipes_count_ready(unit, bit);
        trial->known |= own;
        if (trial->left[bit] == 0)
            busy |= own;
        else if (--trial->left[bit] == 0)
            trial->consumed |= own;
    }
    return busy;
}

uint64_t overlap_busy(const struct resource_unit *unit, const struct plan_insn *insn) {
    struct overlap_left trial = {.known = 0};
    for (unsigned i = 0; i < insn->n_uses; i++) {
        const struct plan_use *use = &insn->uses[i];
        if (use->is_group)
            continue;
        trial.left[use->bit] = pipes_count_ready(unit, use->bit) - use->units;
        trial.known |= 1ULL << use->bit;
        if (trial.left[use->bit] == 0)
            trial.consumed |= 1ULL << use->bit;
    }
    return busy_in_overlap(unit, insn, &trial);
}

// Whether the use of a group has several pipes left to choose from.
static bool has_choice(const struct resource_unit *unit, const struct plan_use *use) {
    return use->is_group && pipes_count_ready(unit, use->bit) > 1;
}

// By the pipes left, fewest first; of as many, by the groups' own bits.
static void sort_by_scarcity(const struct resource_unit *unit, const struct plan_use **uses, unsigned n) {
    for (unsigned i = 1; i < n; i++) {
        const struct plan_use *use = uses[i];
        unsigned ready = pipes_count_ready(unit, use->bit), at = i;
        for (; at > 0; at--) {
            unsigned before = pipes_count_ready(unit, uses[at - 1]->bit);
            if (before < ready || (before == ready && uses[at - 1]->bit < use->bit))
                break;
            uses[at] = uses[at - 1];
        }
        uses[at] = use;
    }
}

static void issue_scarcest_first(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                                 struct event_use *uses, unsigned *n) {
    const struct plan_use *waiting[MAX_RESOURCES];
    unsigned n_waiting = 0;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        if (insn->uses[i].reserves)
            pipes_reserve(unit, insn->uses[i].bit, now + insn->uses[i].cycles);
        else if (has_choice(unit, &insn->uses[i]) && n_waiting < MAX_RESOURCES)
            waiting[n_waiting++] = &insn->uses[i];
        else
            *n += pipes_issue_use(unit, &insn->uses[i], now, &uses[*n]);
    }
    while (n_waiting != 0) {
        sort_by_scarcity(unit, waiting, n_waiting);
        unsigned n_left = 0;
        for (unsigned i = 0; i < n_waiting; i++) {
            if (i == 0 || !has_choice(unit, waiting[i]))
                *n += pipes_issue_use(unit, waiting[i], now, &uses[*n]);
            else
                waiting[n_left++] = waiting[i];
        }
        n_waiting = n_left;
    }
}

// Overlapping groups, taken one after the other, may leave nothing to the last one, though there is enough for all.
// llvm-mca 19 is undefined there.
unsigned overlap_issue(struct resource_unit *unit, const struct plan_insn *insn, int64_t now, struct event_use *uses) {
    unsigned n = 0;
    if (!unit->serves_scarce_groups_first) {
        struct resource_unit before = *unit;
        if (pipes_issue_in_turn(unit, insn, now, uses, &n))
            return n;
        *unit = before;
        n = 0;
    }
    issue_scarcest_first(unit, insn, now, uses, &n);
    return n;
}
