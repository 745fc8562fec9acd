// Private to this folder.
// Places of a program's accesses in the memory buffer, by its placement. Inside gen/ only.
#ifndef GEN_PLACEMENT_H
#define GEN_PLACEMENT_H

#include "gen/isa.h"
#include "gen/kernel.h"
#include "gen/program.h"

#include <stdbool.h>

// Sets the displacement of a place in a stream, both counted from 0, in bytes from the buffer's middle. Returns false
// where it does not fit into the buffer, or its instruction does not reach that far.
bool placement_find(const struct kernel *kernel, enum program_placement placement, unsigned stream, unsigned place,
                    int *displacement);

#endif
