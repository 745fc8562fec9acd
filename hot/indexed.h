// Private to this folder.
// Which elements a gather or a scatter touches, by its vector of indices. x86-64 only.
#ifndef HOT_INDEXED_H
#define HOT_INDEXED_H

#include "hot/touches.h"

// Whether an instruction has a vector of indices.
bool indexed_is(const struct insn *insn);

// Adds its elements, also those that its mask leaves out. `xsave`: the area of the thread's registers, not compacted.
void indexed_add(const struct machine *machine, const struct book_insn *insn, const struct step_registers *registers,
                 const uint8_t *xsave, size_t n_xsave, struct touches *touches);

#endif
