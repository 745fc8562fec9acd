// Private to this folder.
// Throughputs of forms that store. On many CPUs the first-level cache takes stores to one line together, and those to
// lines of their own one a cycle. A model has pipes, but no lines. So where these are the limit, a table's throughput,
// whose copies store to a line each, is an upper bound for a model; and what the pipes can do is seen where the stores
// are together: at one address, or as neighbours in one line.
#ifndef CHECK_STORES_H
#define CHECK_STORES_H

#include "survey/table/table.h"

#include <stdbool.h>

// Cycles of a store to a line of its own: the median of the forms whose stores together take clearly less; 0: no form's
// do.
double stores_line_cycles(struct arena *arena, const struct survey_table *table);

// Whether the form's throughput in the table may be that of lines, which take so many cycles.
bool stores_wait_for_lines(const struct table_row *row, double line_cycles);

// Whether it is of stores together: at one address, or in one line, while the table has them on lines of their own.
bool stores_are_together(const struct table_row *row, const struct table_throughput *throughput);

// The faster throughput of copies that store together. Null: it is not known; they wait for each other there; or a line
// each is faster.
const struct table_throughput *stores_together(const struct table_row *row);

#endif
