// What code does beside other code: a table for each experiment that has a co-run.
#ifndef REPORT_BESIDE_H
#define REPORT_BESIDE_H

#include "lab/lab.h"

#include <stdio.h>

// A table for each experiment that has a co-run.
void corun_print(const struct lab *lab, const struct plan *plan, FILE *out, bool colour);

#endif
