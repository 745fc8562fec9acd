// Private to this folder.
// Blocks out of ELF objects and executables, and out of assembly that brings its data along.
#ifndef CLI_PLAN_OBJECT_H
#define CLI_PLAN_OBJECT_H

#include "lab/experiment.h"
#include "lab/object_code.h"

// Adds the code that `range` means, each piece a block; one that only a linker could complete is refused. What a
// function returns by is left out.
bool plan_add_object(struct arena *arena, struct plan *plan, const struct isa *isa, const struct object_file *file,
                     const struct object_range *range, const struct plan_options *options, struct fail *fail);

// Whether a text marks its block for llvm-mca and has data as well, which the block may refer to: as compilers write
// it.
bool plan_has_marked_data(const char *text);

// Adds the block of such a text.
bool plan_add_marked(struct arena *arena, struct plan *plan, const struct block_source *source, const char *label,
                     const struct plan_options *options, struct fail *fail);

#endif
