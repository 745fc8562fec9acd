// A program's hot loops, for people and as JSON.
#ifndef REPORT_HOT_H
#define REPORT_HOT_H

#include "hot/hot.h"

#include <stdio.h>

void hot_print(struct arena *arena, const struct hot_findings *findings, FILE *out, bool colour);
// Its last lines alone: which code was replayed, and how the program ended.
void hot_print_rest(struct arena *arena, const struct hot_findings *findings, FILE *out);
// One object for each loop, a line each.
bool hot_write_json(struct arena *arena, const struct hot_findings *findings, FILE *out, struct fail *fail);

// The table as one HTML page that needs no network, with what limits the chosen loop: the page of `explain --html`, by
// the first CPU file among the models. `title`: the program.
const char *hot_page_make(struct arena *arena, const char *title, const char *where, const struct model_set *models,
                          const struct hot_findings *findings, struct fail *fail);

// "sum+0x10": where a loop begins; in a stripped file "libz.so.1+0x4010".
const char *hot_place_name(struct arena *arena, const struct hot_finding *finding);

#endif
