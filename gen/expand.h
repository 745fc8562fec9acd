// Private to this folder.
// What expansion and blocks share. Inside gen/ only.
#ifndef GEN_EXPAND_H
#define GEN_EXPAND_H

#include "base/arena.h"
#include "gen/isa.h"
#include "gen/program.h"

// Fills in what struct program holds of instructions, once form, loop counter and preserves_flags are known.
void program_count_instructions(struct program *program, unsigned n_body_instructions);

// Copies of the body to unroll: `wanted`, or (0) as many as make about GEN_UNROLLED_INSTRUCTIONS; 1 when looped.
unsigned program_unroll(enum program_form form, unsigned wanted, unsigned n_instructions);

// `text` with everything that cannot be in a symbol replaced by '_', at most 60 bytes, not starting with a digit.
const char *program_symbol_part(struct arena *arena, const char *text);

#endif
