// The programs that every clock is calibrated with; see struct bench_chains.
#ifndef LAB_CHAINS_H
#define LAB_CHAINS_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"
#include "gen/gen.h"

// The reference, then a program for each check, by enum bench_check; null where an ISA has none.
enum { CHAIN_REFERENCE, CHAIN_CHECKS, N_CHAINS = CHAIN_CHECKS + BENCH_N_CHECKS };

// Generates the chains of an ISA; they are not assembled yet.
bool chains_make(struct arena *arena, const struct isa *isa, struct program *chains[N_CHAINS], struct fail *fail);

// Puts the chains that exist into `list`, which has room for N_CHAINS; returns their number.
size_t chains_list(struct program *const chains[N_CHAINS], struct program **list);

#endif
