// Private to blocks/ and lab/.
// What the functions that a block calls do to its arguments. Their code is not the block's: a run of it shows.
#ifndef BLOCKS_CALLEES_H
#define BLOCKS_CALLEES_H

#include "blocks/lab_block.h"

// Adds to the block's facts, as read and changed, the general registers of arguments that a trial left changed, and all
// that the user gave a value: each call is to begin with the same ones. For a block that calls others, after its trial,
// which began with `start`.
void callees_add_changes(struct arena *arena, struct lab_block *block, enum block_alias alias,
                         const struct block_start *start);

// The instruction at an address of the memory that came along with a block; null: no code is there.
const struct insn *callees_insn(struct arena *arena, const struct decoder *decoder, const struct lab_block *block,
                                uint64_t address);

// For each instruction of the block, the general registers that the function changes which it calls, a bit each. All of
// them, unless that function came along and is plain: it has branches forward only, and calls no other. None where the
// function cannot be anywhere: a weak one that nothing defines.
const uint32_t *callees_find_changes(struct arena *arena, const struct decoder *decoder, const struct lab_block *block);

#endif
