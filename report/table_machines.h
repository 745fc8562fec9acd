// Instruction tables of several machines side by side: a row for each form, a column for each kind of machine. Tables
// of one model and microcode share a column; where they disagree, their names are stated.
//     form        zen4-2026-11-28  zen5-2026-11-27
//     IMUL64rr    3     1     1    3     1     1
#ifndef REPORT_TABLE_MACHINES_H
#define REPORT_TABLE_MACHINES_H

#include "survey/table/table.h"

#include <stdbool.h>
#include <stdio.h>

// The share of those that differ that may do so by chance.
#define TABLE_MACHINES_FALSE 0.01

// One of the tables, by the name that the user gave it.
struct table_machine {
    const char *name;
    const struct survey_table *table;
};

struct table_machines_options {
    const char *form;  // only this form; null: all
    bool only_differs; // only forms of which a value differs between columns
    bool colour;       // text: escape sequences
};

// Values differ where their intervals do not meet, they are apart by MEASURED_LEAST_DIFFERENCE or more, and that is
// significant as in check/diff.h: of all pairs of tables of one model and microcode together, of all of one model with
// two microcodes, and of all of two models. A bound differs only from what is above it. Compared are latencies of the
// same pair of operands, the throughput that a reader wants, and slots; values that are not stable, and those of two
// speeds, are not.
bool table_machines_print(struct arena *arena, const struct table_machine *machines, size_t n,
                          const struct table_machines_options *options, FILE *out, struct fail *fail);

// Writes a line for each value of a form, with a cell for each kind of machine: docs/reference/formats.md.
bool table_machines_write_csv(struct arena *arena, const struct table_machine *machines, size_t n,
                              const struct table_machines_options *options, FILE *out, struct fail *fail);

// Returns an HTML page with all of them (pages/machines.html). `form`: only this one; null: all.
const char *table_machines_page(struct arena *arena, const struct table_machine *machines, size_t n, const char *form,
                                struct fail *fail);

#endif
