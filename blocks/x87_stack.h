// Private to this folder.
// How many values a block leaves on the stack of x87's registers. That has eight places: a block that is repeated and
// leaves one overflows it, and each further push is an invalid operation, which takes many times as long.
#ifndef BLOCKS_X87_STACK_H
#define BLOCKS_X87_STACK_H

#include "blocks/lab_block.h"

// Pushes less pops from the block's start to its first return, or to its end, on the way that takes no conditional
// branch. 0, too, where that way calls, jumps out of the block, or sets the whole stack.
int x87_stack_left(const struct lab_block *block);

#endif
