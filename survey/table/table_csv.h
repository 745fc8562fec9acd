// The instruction table of a published result, from the lines that `cyclops table --csv` wrote. It has no measured
// programs, so nothing that simulates them can use it.
#ifndef SURVEY_TABLE_TABLE_CSV_H
#define SURVEY_TABLE_TABLE_CSV_H

#include "survey/table/table.h"

// Returns the file of a published table: `path` itself where it ends in .csv, also compressed; or of a folder that is
// no survey, its table.csv; null: it is neither.
const char *table_csv_file(struct arena *arena, const char *path);

// Reads the file, and beside it host.json, or else card.yaml, for the name of the machine: without both it is called as
// its folder. Fails where it cannot be read, is no such table, or a number in it is none.
bool table_read_csv(struct arena *arena, const char *path, struct survey_table *table, struct fail *fail);

#endif
