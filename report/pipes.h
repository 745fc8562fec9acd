// Private to this folder.
// The second table of `cyclops run`: uops as they were counted, pipe by pipe, beside the pressure that the models put
// on these pipes. Pressure is cycles that a pipe is held: for nearly all uops one, but not for a divider's, or where
// the model splits an instruction's halves in time instead of space.
//     kernel   measures  form      pipe     counted        skylake (LLVM 19)
//     add-r64  latency   unrolled  retired    1.000 ±0.000   1.000
//                                  p0         0.250 ±0.001   0.250
// ± is the 99 % interval of the count; an event whose rounds were all dropped is there without one, and says so.
#ifndef REPORT_PIPES_H
#define REPORT_PIPES_H

#include "lab/experiment.h"
#include "lab/lab.h"

#include <stdio.h>

// Nothing where no event was counted.
void pipes_report_print(const struct lab *lab, const struct plan *plan, FILE *out, bool colour);

#endif
