// Prints the scores of models on measured blocks.
#ifndef REPORT_SCORE_H
#define REPORT_SCORE_H

#include "corpus/score.h"

#include <stdbool.h>
#include <stdio.h>

// Tables: all blocks, kinds of blocks, scheduling classes, the worst blocks.
void score_print(struct arena *arena, const struct scores *scores, FILE *out, bool colour);

// Returns a clause on scores of so few blocks that they stand for no others; null: there are none.
const char *score_warning(struct arena *arena, const struct scores *scores);

// A line for each model, form and kind of block.
void score_print_csv(struct arena *arena, const struct scores *scores, FILE *out);

// JSON Lines: one object for each model and form.
bool score_print_json(struct arena *arena, const struct scores *scores, FILE *out, struct fail *fail);

#endif
