// Private to this folder.
// Blocks from assembly text: its regions, and the data that they refer to.
#ifndef CLI_PLAN_TEXT_H
#define CLI_PLAN_TEXT_H

#include "lab/experiment.h"

// Adds each region of a text as a block, or the one named `region` (null: all). `label`: name of a text without
// markers in tables and records. Refuses a region with a mistake, and goes on with the others. Fails where a marker is
// wrong.
bool plan_add_text(struct arena *arena, struct plan *plan, const struct block_source *source, const char *label,
                   const char *region, const struct plan_options *options, struct fail *fail);

#endif
