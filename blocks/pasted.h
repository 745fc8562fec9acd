// Lines that people copy from a disassembly, as objdump -d and perf annotate print it: addresses, machine code and
// percentages stand in front of the instructions.
#ifndef BLOCKS_PASTED_H
#define BLOCKS_PASTED_H

#include "base/arena.h"

// Returns a text's lines as assembly, with the same numbers: machine code as bytes where it stands there, else the
// instruction, with labels for addresses that branches name. A text that is no disassembly comes back as it is.
const char *pasted_as_assembly(struct arena *arena, const char *text);

#endif
