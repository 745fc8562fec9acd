// The bounds of a block in words, for people: what makes each, and by which instructions. Sentences are without their
// capital and their full stop.
#ifndef ANALYZER_PREDICT_BOUNDS_WORDS_H
#define ANALYZER_PREDICT_BOUNDS_WORDS_H

#include "analyzer/predict/bounds_explain.h"

struct bounds_words {
    const struct cpu *cpu;
    const struct block *block;
    const struct bounds_explained *found; // of this block
};

// What makes a bound: "7 slots, of which 4 are renamed and dispatched in a cycle". The block has such a bound.
const char *bounds_sentence(struct arena *arena, const struct bounds_words *words, enum bound_kind kind);
// The same of the largest bound. A block without a bound has a sentence, too.
const char *bounds_largest_sentence(struct arena *arena, const struct bounds_words *words);
// The same of the next bound. "" where the block has no second one.
const char *bounds_next_sentence(struct arena *arena, const struct bounds_words *words);
// What the bounds do not know of the block, a sentence each. Returns their number.
size_t bounds_list_notes(struct arena *arena, const struct bounds_words *words, const char ***notes);

// Of a block that accesses memory, on a CPU whose addresses the bounds do not follow (AArch64).
extern const char *const bounds_note_apart;

// "2 add rax, rbx": an instruction of the block, by its number there, from 1.
const char *bounds_insn_words(struct arena *arena, const struct bounds_words *words, unsigned insn);
// "instructions 1, 3 and 4"; "all instructions"; of many, their number.
const char *bounds_list_words(struct arena *arena, const bool *are_listed, unsigned n_insns);
// What a link waits for: "rax", "memory".
const char *bounds_link_words(struct arena *arena, const struct bounds_words *words, const struct bound_link *link);

#endif
