// Private to this folder.
// Where in the memory buffer the accesses of a program lie, by its placement. Inside gen/ only.
#ifndef GEN_PLACEMENT_H
#define GEN_PLACEMENT_H

#include "gen/isa.h"
#include "gen/kernel.h"
#include "gen/program.h"

#include <stdbool.h>

// The displacement in bytes from the buffer's middle of place `place` in stream `stream`, counted from 0. False where
// it does not fit into the buffer, or its instruction cannot reach that far.
bool placement_find(const struct kernel *kernel, enum program_placement placement, unsigned stream, unsigned place,
                    int *displacement);

#endif
