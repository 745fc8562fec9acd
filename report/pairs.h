// The matrix of `cyclops pairs`: a table for people, a JSON object for each cell, or CSV: a row for each
// kernel alone and each cell, by model.
#ifndef REPORT_PAIRS_H
#define REPORT_PAIRS_H

#include "study/pairs.h"

#include <stdio.h>

void pairs_print(const struct lab *lab, const struct pairs *pairs, FILE *out, bool colour);
bool pairs_print_json(const struct lab *lab, const struct pairs *pairs, FILE *out, struct fail *fail);
bool pairs_print_csv(const struct lab *lab, const struct pairs *pairs, FILE *out, struct fail *fail);

#endif
