// The tables of `cyclops run`.
//     vfmadd231ps zmm    latency 4.00   reciprocal throughput 0.50
//       n   measured       llvm-19/znver5   difference
//       1   4.00 ±0.01     4.00                 0 %
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include "lab/experiment.h"
#include "lab/lab.h"

#include <stdio.h>

// Prints all measured experiments: each sweep as a table, the rest in one table.
void run_report_print(const struct lab *lab, const struct plan *plan, FILE *out, bool colour);

#endif
