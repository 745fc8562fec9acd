// Private to this folder.
// A block that is called, and the registers that the body sets again before each call, as a caller does: what it reads
// in the registers of arguments, and what the user gave, where the block changes it. They have then what they had
// before the first call. Likewise what the user gave a loop that is measured by passes. Inside gen/ only.
#ifndef GEN_BLOCK_AGAIN_H
#define GEN_BLOCK_AGAIN_H

#include "gen/block_setup.h"

// Adds the instructions of the body. Needs the request's facts.
void block_emit_again(const struct block_setup *setup, const struct used_registers *used, struct text *out);

// Adds instructions for the end of the set-up: they store in the frame what no constant can set again.
void block_emit_kept(const struct block_setup *setup, const struct used_registers *used, struct text *out);

#endif
