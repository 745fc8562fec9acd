// Private to this folder.
// What the functions that a block calls do to its arguments. Their code is not the block's: a run of it shows.
#ifndef LAB_CALLEES_H
#define LAB_CALLEES_H

#include "lab/blocks.h"

// Adds to the block's facts, as read and changed, the general registers of arguments that a trial left changed, and all
// that the user gave a value: each call is to begin with the same ones. For a block that calls others, after its trial,
// which began with `start`.
void callees_add_changes(struct arena *arena, struct lab_block *block, enum block_alias alias,
                         const struct block_start *start);

#endif
