// Why a block could not go on, in words: which instruction, what it touched, and where the address came from.
#ifndef LAB_FAULT_TEXT_H
#define LAB_FAULT_TEXT_H

#include "bench/record/record.h"
#include "gen/program.h"
#include "lab/blocks.h"
#include "lab/decoder.h"

// False where nothing is known but the outcome. `program`: of the block, that ran when it happened, by its bytes;
// `seen` and `outcome`: of its run.
bool fault_explain(struct arena *arena, const struct decoder *decoder, const struct lab_block *block,
                   const struct program *program, enum bench_outcome outcome, const struct bench_seen *seen,
                   struct record_fault *fault);

#endif
