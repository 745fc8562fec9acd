// Private to this folder.
// Which instructions of a loop execute once in each turn, by its branches alone.
#ifndef BLOCKS_TURNS_CERTAIN_H
#define BLOCKS_TURNS_CERTAIN_H

#include "analyzer/code/block.h"
#include "base/arena.h"
#include "gen/link.h"

#include <stdbool.h>
#include <stddef.h>

// For each instruction, whether it certainly does. `block` and `link`: as in struct turns_request.
const bool *turns_certain(struct arena *arena, const struct block *block, const struct link *link);

size_t turns_offset(const struct block *block, unsigned index); // bytes before an instruction
bool turns_leaves(const struct block *block, unsigned index);   // whether a direct branch leads out of the block

#endif
