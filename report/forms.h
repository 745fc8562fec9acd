// Private to this folder.
// Unrolled and looped code are two results. Where they differ by more than both intervals, says what is known of the
// regime each is in: what it executes, what the models say of the same bytes, and what replicates showed. It
// does not guess: how large an op cache or loop buffer is, no model here says.
#ifndef REPORT_FORMS_H
#define REPORT_FORMS_H

#include "lab/experiment.h"

#include <stdio.h>

// A line for each pair of results that differ; nothing where all agree.
void forms_print(struct arena *arena, const struct plan *plan, FILE *out);

#endif
