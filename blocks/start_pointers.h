// Private to blocks/ and lab/.
// Pointers that a block begins with, where the user gives that register no value:
//  - in vector registers, where compilers keep them when general registers run out. A vector register is zero at the
//    start, which is not an address; these get one.
//  - in general registers that hold a jump table's address, which code before the block sets.
#ifndef BLOCKS_START_POINTERS_H
#define BLOCKS_START_POINTERS_H

#include "blocks/lab_block.h"

// Returns the state that the block starts with: the user's and these addresses. A vector register's is what a general
// register holds that is no base of an address. x86-64. The user's state itself where there is no such pointer.
const struct start_state *start_pointers_add(struct arena *arena, const struct machine *machine,
                                             const struct lab_block *block, enum block_alias alias);

#endif
