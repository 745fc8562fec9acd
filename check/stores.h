// Private to this folder.
// Throughputs of forms that store. On many CPUs the first-level cache takes stores to one line together, and those to
// lines of their own one a cycle. A model has pipes, but no lines. So where these are the limit, a table's throughput,
// whose copies store to a line each, is an upper bound for a model; and what the pipes can do is seen at one address.
#ifndef CHECK_STORES_H
#define CHECK_STORES_H

#include "survey/table.h"

#include <stdbool.h>

// Cycles of a store to a line of its own: the median of the forms whose stores to one address take clearly less; 0: no
// form's do.
double stores_line_cycles(struct arena *arena, const struct survey_table *table);

// Whether the form's throughput in the table may be that of lines, which take so many cycles.
bool stores_wait_for_lines(const struct table_row *row, double line_cycles);

// The throughput of copies that all store to one address. Null: it is not known; they wait for each other there; or a
// line each is faster.
const struct table_throughput *stores_to_one_address(const struct table_row *row);

#endif
