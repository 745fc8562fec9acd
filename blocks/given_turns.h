// Private to blocks/ and lab/.
// A loop whose turns the user decides: by a value of the register that counts them. Its own branch cannot make as many
// turns as a measurement asks for, so a pass through it is measured instead, and each pass begins with that value.
#ifndef BLOCKS_GIVEN_TURNS_H
#define BLOCKS_GIVEN_TURNS_H

#include "blocks/lab_block.h"

// Whether the user gave the register that turns_find found.
bool given_turns_are_in(const struct lab_block *block, const struct block_turns *turns);

// Puts instructions in front of the block's bytes: they set the registers that count. The block has to be decoded
// again. `why`: a clause for the user, as in struct lab_block. Fails where the start of the count is not the user's.
bool given_turns_take(struct arena *arena, struct lab_block *block, enum block_alias alias, const char **why,
                      struct fail *fail);

#endif
