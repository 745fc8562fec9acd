// Tables of code with a co-runner.
#ifndef REPORT_CORUN_H
#define REPORT_CORUN_H

#include "lab/lab.h"

#include <stdio.h>

// Prints a table for each experiment that has a co-run.
void corun_print(const struct lab *lab, const struct plan *plan, FILE *out, bool colour);

#endif
