// Private to this folder.
// The values that the registers of a block start with: the user's, or made up. Inside gen/ only.
#ifndef GEN_BLOCK_VALUES_H
#define GEN_BLOCK_VALUES_H

#include "gen/block_setup.h"

// Returns what the user gives a register of a class, or another width of it; null: nothing.
const struct state_register *block_find_given(const struct isa *isa, const struct block_start *start,
                                              const struct register_class *class, unsigned index);

// Sets a register other than a general one to the value that it starts with.
void block_emit_other(const struct block_setup *setup, const struct register_class *class, unsigned index,
                      struct text *out);

// Returns 64 bits that repeat in a register of `n_bytes`; false: it has others.
bool block_find_pattern(const struct state_value *value, unsigned n_bytes, uint64_t *pattern);

#endif
