// Private to this folder.
// Turns blocks into programs: assembles, decodes and tries each block once, then adds a counter, a start and a stack.
//
//     text ─ as ─► bytes ─ decoder ─► what they use ─┐
//                                 one trial run ─────┴─► programs: copies, counter, start, stack
#ifndef LAB_PLAN_BLOCKS_H
#define LAB_PLAN_BLOCKS_H

#include "base/arena.h"
#include "base/fail.h"
#include "blocks/decoder.h"
#include "blocks/lab_block.h"

#include <stdbool.h>

struct plan;
struct experiment;

// Makes the programs of all blocks of the plan; they are not assembled yet. `can_run`: this machine can run the blocks,
// so each is tried. A bad block does not stop the others. One that does not assemble or decode is refused. One that
// does not survive its trial has the outcome in its measurement. False only where nothing can go on.
bool blocks_prepare(struct arena *arena, struct plan *plan, const struct decoder *decoder, bool can_run,
                    struct fail *fail);

// Fills the experiment's record of its block from the trial and the measurement.
void block_look(struct arena *arena, const struct decoder *decoder, struct experiment *experiment);

// After a measurement of more unrolled copies than the block can run: makes a program with fewer copies, not assembled
// yet. Such a block doubles a register that is an address, or walks over too many pages. False: fewer do not help.
bool block_shorten(struct arena *arena, struct experiment *experiment, struct fail *fail);

// Makes the experiment's program anew, not assembled yet: so many bytes further on in a line, or with another caller.
bool block_make_layout(struct arena *arena, const struct experiment *experiment, unsigned further,
                       enum block_caller caller, struct program *program, struct fail *fail);

#endif
