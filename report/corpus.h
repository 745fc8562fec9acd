// Prints what the run of a corpus has measured, and the scores of models on it.
#ifndef REPORT_CORPUS_H
#define REPORT_CORPUS_H

#include "corpus/run.h"

#include <stdbool.h>
#include <stdio.h>

// How many blocks ended how.
void corpus_report_tally(struct arena *arena, const struct corpus_tally *tally, FILE *out, bool colour);
// What --resume would do, with that command. Nothing is printed where all values are stable.
void corpus_report_next(struct arena *arena, const struct corpus_tally *tally, const char *resume, FILE *out);

#endif
