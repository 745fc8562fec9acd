// The programs that every clock rests on, whatever is measured; see struct bench_chains.
#ifndef CLI_CHAINS_H
#define CLI_CHAINS_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/gen.h"

enum chain { CHAIN_REFERENCE, CHAIN_MULTIPLY, CHAIN_ISSUE, N_CHAINS };

// Generates those of an ISA; they are not assembled yet.
bool chains_make(struct arena *arena, const struct isa *isa, struct program *chains[N_CHAINS], struct fail *fail);

#endif
