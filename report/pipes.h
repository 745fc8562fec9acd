// Private to this folder.
// The second table of `cyclops run`: counted uops of each pipe, and the pressure that models predict for it. Pressure
// is the number of cycles that a pipe is held. That is one for nearly all uops, but not for a divider's, or where a
// model executes an instruction's halves in turn.
//     kernel   measures  form      pipe     counted        llvm-19/skylake
//     add-r64  latency   unrolled  retired    1.000 ±0.000   1.000
//                                  p0         0.250 ±0.001   0.250
// ± is the 99 % interval of the count. An event whose rounds were all dropped shows "-" and the reason.
#ifndef REPORT_PIPES_H
#define REPORT_PIPES_H

#include "report/run.h"

#include <stdio.h>

// Prints the table; nothing where no event was counted.
void pipes_report_print(const struct run_report *run, const struct plan *plan, FILE *out, bool colour);

#endif
