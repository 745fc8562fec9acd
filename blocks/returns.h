// Private to this folder.
// Whether code returns to whoever runs it, or only from functions inside of it: a call that leads to an instruction of
// the block, as in a retpoline, is answered by a return in the block.
#ifndef BLOCKS_RETURNS_H
#define BLOCKS_RETURNS_H

#include "blocks/lab_block.h"

// Whether a return of the block may come back to its caller. Each may in a function, and in code that does not run on
// behind its last instruction. In other code, one may that no way through the block reaches, and one behind an
// instruction, inside of a call, that moves the stack pointer. `stack_pointer`: the register's number.
bool returns_to_caller(struct arena *arena, const struct lab_block *block, uint16_t stack_pointer);

#endif
