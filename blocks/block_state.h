// Turns the state that a user gives a block (gen/start_state.h) into what a target needs: addresses that registers give
// memory at the start, and the bytes of code that runs before the block.
#ifndef BLOCKS_BLOCK_STATE_H
#define BLOCKS_BLOCK_STATE_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"
#include "gen/block.h"

#include <stdbool.h>

// Returns what memory holds at the start, start->state->n_memory items. Fails (null) where no memory can be at an
// address.
const struct bench_patch *block_state_patches(struct arena *arena, const struct isa *isa,
                                              const struct block_start *start, struct fail *fail);

// Assembles code that runs before a block or in front of it. Fails at the place of a mistake in the source's text.
bool block_state_assemble(struct arena *arena, const struct block_source *source, const uint8_t **bytes, size_t *n,
                          struct fail *fail);

// Assembles code that runs before a block, and puts it into the state. `syntax`: as in struct block_source. Fails at
// the place of a mistake in `text`.
bool block_state_init(struct arena *arena, const struct isa *isa, const char *syntax, const char *text,
                      struct start_state *state, struct fail *fail);

#endif
