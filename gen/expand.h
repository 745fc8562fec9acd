// Private to this folder.
// Functions that kernels and blocks share on their way to programs. Inside gen/ only.
#ifndef GEN_EXPAND_H
#define GEN_EXPAND_H

#include "base/arena.h"
#include "gen/isa.h"
#include "gen/program.h"

// Sets the numbers of instructions of `program`. Needs its isa, form, loop counter and preserves_flags.
void program_count_instructions(struct program *program, unsigned n_body_instructions);

// Returns the copies of a body of `n_body` instructions: 1 when looped; else `wanted`, or (0) enough for about
// `n_instructions`.
unsigned program_unroll(enum program_form form, unsigned wanted, unsigned n_body, unsigned n_instructions);

// Returns the first 60 bytes of `text` as part of a symbol: with '_' for all but letters and digits, and before a digit
// at the start.
const char *program_symbol_part(struct arena *arena, const char *text);

#endif
