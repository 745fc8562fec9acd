// The tables of `cyclops run`.
//     vfmadd231ps zmm    latency 4.00   reciprocal throughput 0.50
//       n   measured       llvm-19/znver5   difference
//       1   4.00 ±0.01     4.00                 0 %
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include "lab/experiment.h"
#include "lab/lab.h"

#include <stdio.h>

// What the tables state besides the experiments.
struct run_report {
    struct arena *arena;
    const struct model_set *models;
    bool is_brief;                  // as in struct lab_options
    const char *summary;            // host and clock, one line; null: nothing was measured
    const char *clock_unstable_why; // null: the clock was steady, or it is not known
    const struct pipes *pipes;      // that were counted; null: none
};

// Of what a lab has measured.
struct run_report run_report_of(const struct lab *lab);

// Prints all measured experiments: each sweep as a table, the rest in one table.
void run_report_print(const struct run_report *run, const struct plan *plan, FILE *out, bool colour);

#endif
