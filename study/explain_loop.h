// Private to this folder.
// The loop that `cyclops run` puts around a block, for a block that nobody runs.
#ifndef STUDY_EXPLAIN_LOOP_H
#define STUDY_EXPLAIN_LOOP_H

#include "analyzer/model/model.h"

// Adds the instructions that count down and branch back, with those that set the stack pointer again where the block
// moves it. `start`: set to the place of the loop in its line. The block was described by the model, with its bytes.
// Fails where no such loop can be made.
bool explain_add_loop(struct arena *arena, const struct model *model, struct block *block, unsigned *start,
                      struct fail *fail);

#endif
