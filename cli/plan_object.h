// Private to this folder.
// Blocks from ELF objects and executables.
#ifndef CLI_PLAN_OBJECT_H
#define CLI_PLAN_OBJECT_H

#include "blocks/object_code.h"
#include "lab/experiment.h"

// Adds each piece of code in `range` as a block, without a function's return. Refuses a block that only a linker could
// complete.
bool plan_add_object(struct arena *arena, struct plan *plan, const struct isa *isa, const struct object_file *file,
                     const struct object_range *range, const struct plan_options *options, struct fail *fail);

#endif
