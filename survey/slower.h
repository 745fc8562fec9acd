// Private to this folder.
// Throughputs that are a little slower than those of other forms of their scheduling class. Mostly the form is slower.
// But code that loads vectors may be at another speed for seconds: a Golden Cove takes 0.50 or 0.53 cycles. Two looks
// may both find the slower speed, and say so with a narrow interval. Forms of one class that differ tell.
#ifndef SURVEY_SLOWER_H
#define SURVEY_SLOWER_H

#include "survey/table.h"

// Returns the names of the kernels of stable throughputs that are slower than a stable one of the same class, made in
// the same way, by more than 1 % and at most 15 %; in the order of the names, each once.
const char **slower_than_class(struct arena *arena, const struct survey_table *table, size_t *n);

#endif
