// Private to this folder.
// Two speeds of a class: a state of the core, which may last for minutes. So some forms of a class were measured at one
// speed and some at the other, each as a stable value. Where forms of the class were seen at both, neither is a form's
// own: the values of all of them are the interval that holds both. Where no form was, forms differ.
#ifndef SURVEY_TABLE_CLUSTERS_H
#define SURVEY_TABLE_CLUSTERS_H

#include "survey/table/table.h"

// Gives the throughputs of such classes two speeds. Compared are those made in the same way, as in recheck.h.
void clusters_mark(struct arena *arena, struct table_row *rows, size_t n);

#endif
