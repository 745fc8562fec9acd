// Prints what the run of a corpus has measured, and the scores of models on it.
#ifndef REPORT_CORPUS_H
#define REPORT_CORPUS_H

#include "corpus/run.h"

#include <stdbool.h>
#include <stdio.h>

// How many blocks ended how.
void corpus_report_tally(struct arena *arena, const struct corpus_tally *tally, FILE *out, bool colour);

#endif
