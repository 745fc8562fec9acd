// Private to this folder.
// Ways out of a block: branches to what is not in it. They go to the block's end instead. The other branches count
// bytes, so no instruction may become longer or shorter; where a way out does not reach the end like that, the
// assembler writes all branches of the block anew.
#ifndef BLOCKS_EXITS_H
#define BLOCKS_EXITS_H

#include "blocks/lab_block.h"

// Finds them, and sets the bytes of `source` and the exits of `facts`. `is_turn_end`: the last instruction is left out,
// and branches to the block's start, or behind that instruction, are ways out, too. Sets block->leaves where there are
// some. Fails at a call that leaves the block, and at a branch into the middle of an instruction.
bool exits_lead_to_end(struct arena *arena, struct lab_block *block, bool is_turn_end, struct block_source *source,
                       struct block_facts *facts, struct fail *fail);

// Whether a reference to memory that comes along, as a call of a function there, is in the bytes from `offset` on.
bool exits_is_linked(const struct lab_block *block, int64_t offset, unsigned n_bytes);

#endif
