// Private to blocks/ and lab/.
// What the instructions of a block do: what they access, where its branches go, and whether it is a loop or a routine.
#ifndef BLOCKS_BLOCK_CODE_H
#define BLOCKS_BLOCK_CODE_H

#include "base/arena.h"
#include "base/fail.h"
#include "blocks/lab_block.h"

#include <stdbool.h>
#include <stdint.h>

// Reads the block's bytes, which are known. Where LLVM cannot decode a text, the names of registers in it must suffice:
// then the rest is unknown, and it is no failure. False: machine code that does not decode, or branches that no program
// can have. `stack_pointer`: LLVM's number of that register.
bool block_code_read(struct arena *arena, const struct decoder *decoder, uint16_t stack_pointer,
                     struct lab_block *block, struct fail *fail);

#endif
