// Private to this folder.
// What is found of one opcode, where it differs from the base.
#ifndef INFER_NUMBERS_H
#define INFER_NUMBERS_H

#include "analyzer/cpu/recipe.h"

enum { NUMBERS_MOST_ENDS = 8, NUMBERS_MOST_USES = 8 };

struct numbers {
    const char *opcode;
    bool has_slots, has_latency, has_own, has_serial, has_uses;
    bool is_split;   // its latency is its part of a sum with another that is not known alone
    bool is_at_most; // its latency is below the time of a block of it
    unsigned slots;
    double latency, own, serial;
    struct number_end {
        const char *name; // as in latency-to and latency-from
        double cycles;
    } to[NUMBERS_MOST_ENDS], from[NUMBERS_MOST_ENDS];
    unsigned n_to, n_from;
    struct number_use {
        const char *on;
        double cycles;
    } uses[NUMBERS_MOST_USES];
    unsigned n_uses;
};

static inline bool numbers_are_any(const struct numbers *numbers) {
    return numbers->has_slots || numbers->has_latency || numbers->n_to || numbers->n_from || numbers->has_own ||
           numbers->has_serial || numbers->has_uses;
}

// Rules of a CPU file, one for all opcodes with the same numbers, in groups by what they are from; sorted. `llvm`: the
// version that has these opcodes. Sets how many rules there are.
const char *numbers_text(struct arena *arena, const struct numbers *numbers, size_t n, unsigned llvm, size_t *n_rules);

// One such rule: of opcodes, sorted, with what stands behind its match, "pipes: [A], slots: 2".
const char *numbers_rule(struct arena *arena, const char *const *opcodes, size_t n, const char *numbers);

#endif
