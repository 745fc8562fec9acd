// Private to this folder.
// LLVM's core starts all that an instruction holds in one cycle, so two sets of pipes that overlap make it wait for
// more than their cycles: of one cycle of P1 or P2 and one of P2 or P3, it starts one instruction a cycle, not three in
// two.
#ifndef UPSTREAM_TD_TOGETHER_H
#define UPSTREAM_TD_TOGETHER_H

#include "upstream/td_export.h"

// Joins such sets, with the sum of their cycles, where many of the instruction start more often then and the pipes do
// not allow more than before. Returns whether it did.
bool td_join_uses(struct td_export *export);

#endif
