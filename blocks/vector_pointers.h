// Private to blocks/ and lab/.
// Pointers that a block begins with in vector registers: compilers keep them there where general registers run out. A
// vector register is zero at the start, which is not an address; these get one.
#ifndef BLOCKS_VECTOR_POINTERS_H
#define BLOCKS_VECTOR_POINTERS_H

#include "blocks/lab_block.h"

// Returns the state that the block starts with: the user's and these addresses. An address is what a general register
// holds that is no base of an address. x86-64. The user's state itself where there is no such pointer.
const struct start_state *vector_pointers_add(struct arena *arena, const struct machine *machine,
                                              const struct lab_block *block, enum block_alias alias);

#endif
