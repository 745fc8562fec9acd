#include "analyzer/pipeline/overlap.h"

// What is left of each resource while the uses of one instruction are tried.
struct trial {
    unsigned left[MAX_RESOURCES];
    uint64_t known;    // own bits of resources that `left` holds for
    uint64_t consumed; // of resources with nothing left
};

// Tries to give each group of the instruction a unit that its other uses leave.
static uint64_t busy_in_overlap(const struct resource_unit *unit, const struct plan_insn *insn, struct trial *trial) {
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
    struct trial trial = {.known = 0};
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

// The use with the fewest units left; pipes have none to choose, and come first.
static unsigned scarcest(const struct resource_unit *unit, const struct plan_insn *insn, uint64_t left) {
    unsigned best = (unsigned)__builtin_ctzll(left), fewest = UINT32_MAX;
    for (; left != 0; left &= left - 1) {
        const struct plan_use *use = &insn->uses[__builtin_ctzll(left)];
        unsigned n = use->is_group ? pipes_count_ready(unit, use->bit) : 0;
        if (n >= fewest)
            continue;
        best = (unsigned)__builtin_ctzll(left);
        fewest = n;
    }
    return best;
}

static void issue_scarcest_first(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                                 struct event_use *uses, unsigned *n) {
    uint64_t left = 0;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        if (insn->uses[i].reserves)
            pipes_reserve(unit, insn->uses[i].bit, now + insn->uses[i].cycles);
        else
            left |= 1ULL << i;
    }
    while (left != 0) {
        unsigned i = scarcest(unit, insn, left);
        *n += pipes_issue_use(unit, &insn->uses[i], now, &uses[*n]);
        left ^= 1ULL << i;
    }
}

// Overlapping groups, taken one after the other, may leave nothing to the last one, though there is enough for all.
// llvm-mca 19 is undefined there; later versions serve the group with the fewest units first, always.
unsigned overlap_issue(struct resource_unit *unit, const struct plan_insn *insn, int64_t now, struct event_use *uses) {
    struct resource_unit before = *unit;
    unsigned n = 0;
    if (pipes_issue_in_turn(unit, insn, now, uses, &n) || insn->n_uses > 64)
        return n;
    *unit = before;
    n = 0;
    issue_scarcest_first(unit, insn, now, uses, &n);
    return n;
}
