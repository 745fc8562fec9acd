// Private to this folder.
// Unrolled and looped code have two results. Where they differ by more than both intervals, prints the known reasons:
// the instructions executed, predictions for the same bytes, and replicates. It does not guess: no model here has the
// size of an op cache or loop buffer.
#ifndef REPORT_FORMS_H
#define REPORT_FORMS_H

#include "lab/experiment.h"

#include <stdio.h>

// Prints a line for each pair of results that differ; nothing where all agree.
void forms_print(struct arena *arena, const struct plan *plan, FILE *out);

#endif
