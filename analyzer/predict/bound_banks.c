// Loads that two pipes take in turn, of a cache whose banks each serve one line in a cycle.
#include "analyzer/predict/bound_parts.h"

static bool meet(const struct place *a, const struct place *b, uint64_t memory) {
    return a->bytes && b->bytes && a->address.base == b->address.base &&
           core_banks_meet(a->address.offset % memory, b->address.offset % memory);
}

// Each pipe takes every other load. One may run behind the other by some loads: it stays so where fewest meet.
double bound_paired_loads(const struct place *loads, unsigned n, uint64_t memory) {
    unsigned turns = n % 2 ? 2 : 1, pairs = n * turns / 2, fewest = pairs;
    for (unsigned behind = 0; behind < pairs && fewest; behind++) {
        unsigned meetings = 0;
        for (unsigned i = 0; i < pairs; i++)
            meetings += meet(&loads[2 * i % n], &loads[(2 * (i + behind) + 1) % n], memory);
        fewest = meetings < fewest ? meetings : fewest;
    }
    return (double)(pairs + fewest) / turns;
}
