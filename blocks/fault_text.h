// Why a block could not go on, in words: which instruction, what it touched, and where the address came from.
#ifndef BLOCKS_FAULT_TEXT_H
#define BLOCKS_FAULT_TEXT_H

#include "bench/record/record.h"
#include "blocks/decoder.h"
#include "blocks/lab_block.h"
#include "gen/program.h"

// Explains the fault of a run. `program`: the block's program that ran; `seen` and `outcome`: of that run. False where
// only the outcome is known.
bool fault_explain(struct arena *arena, const struct decoder *decoder, const struct lab_block *block,
                   const struct program *program, enum bench_outcome outcome, const struct bench_seen *seen,
                   struct record_fault *fault);

#endif
