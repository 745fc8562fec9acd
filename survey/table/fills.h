// Private to this folder.
// Throughputs with fillers (slots.h) behind each copy of a form. Which pipe a uop is sent to depends on what entered
// the schedulers with it, so forms of several uops, and stores, fall into a rhythm. Each such value comes again all the
// time, and none is the form's own (docs/how-it-works/survey.md has examples). Fillers need no pipe, so
//  - where copies among them take less, what copies alone take is an upper bound. So is what they take among fillers.
//  - where copies among them take longer by more than 1 %, though slots are left, it is a bound as well: the rhythm
//    decides, or how code is supplied.
// Only a throughput that neither pipes nor slots give is doubted; and those of forms in one class, or with the same
// name but for its numbers, of which one shows less.
#ifndef SURVEY_TABLE_FILLS_H
#define SURVEY_TABLE_FILLS_H

#include "survey/table/table.h"

// Adds those that follow to all rows, makes throughputs bounds by those that are measured, and finds the headlines
// again. `filler`, `width`: as the table has them; null: there is no filler, and nothing is done.
void fills_mark(struct arena *arena, const char *filler, double width, struct table_row *rows, size_t n);

#endif
