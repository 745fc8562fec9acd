// Private to this folder.
// Edits of statements whose numbers come from `let` around them, in loops over groups of registers and widths of
// elements, as RISC-V's files have them:
//     foreach mx = SchedMxList in {
//       let Latency = 2, ReleaseAtCycles = [Cycles<mx>.c] in {
//         defm "" : LMULWriteResMX<"WriteVIALUV", [Arith], mx, IsWorstCase>;
// A `let` changes where all statements below it need the same. Else a statement gets one of its own.
#ifndef UPSTREAM_TD_LOOPS_H
#define UPSTREAM_TD_LOOPS_H

#include "upstream/td_plan.h"

// Edits all statements whose atoms change. False: one is not understood, and is allowed less from now on.
bool td_edit_loops(struct td_plan *plan);

#endif
