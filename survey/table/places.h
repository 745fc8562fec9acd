// Private to this folder.
// In which placements a form is measured besides those of its headline. What a first-level cache serves in a cycle
// depends on where loads and stores go: a Redwood Cove loads three words side by side a cycle, but two from one
// address, as both ports of a bank are busy then; and it takes two stores a cycle to one line only. The first form of
// each scheduling class is measured in all placements (experiments.h). The others follow where that shows a difference.
#ifndef SURVEY_TABLE_PLACES_H
#define SURVEY_TABLE_PLACES_H

#include "survey/table/table.h"

// Adds the placements that follow to all rows, by what the rows of their class show. A placement matters where a stable
// value in it differs from those of the form's other placements by more than 3 %.
void places_mark(struct arena *arena, struct table_row *rows, size_t n);

#endif
