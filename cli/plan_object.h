// Private to this folder.
// Blocks from ELF objects and executables, and from assembly with data.
#ifndef CLI_PLAN_OBJECT_H
#define CLI_PLAN_OBJECT_H

#include "lab/experiment.h"
#include "lab/object_code.h"

// Adds each piece of code in `range` as a block, without a function's return. Refuses a block that only a linker could
// complete.
bool plan_add_object(struct arena *arena, struct plan *plan, const struct isa *isa, const struct object_file *file,
                     const struct object_range *range, const struct plan_options *options, struct fail *fail);

// Whether a text, such as a compiler's, has llvm-mca's markers and also data, to which the block may refer.
bool plan_has_marked_data(const char *text);

// Adds the block of such a text.
bool plan_add_marked(struct arena *arena, struct plan *plan, const struct block_source *source, const char *label,
                     const struct plan_options *options, struct fail *fail);

#endif
