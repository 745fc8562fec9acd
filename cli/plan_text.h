// Private to this folder.
// Blocks from assembly text: its regions, or functions, and the data that they refer to.
#ifndef CLI_PLAN_TEXT_H
#define CLI_PLAN_TEXT_H

#include "blocks/text_blocks.h"
#include "lab/experiment.h"

// Adds each chosen part of a text as a block. `label`: name of a text without markers in tables and records. Refuses a
// part with a mistake, and goes on with the others. Fails where a marker is wrong, or the choice.
bool plan_add_text(struct arena *arena, struct plan *plan, const struct block_source *source, const char *label,
                   const struct text_choice *choice, const struct plan_options *options, struct fail *fail);

#endif
