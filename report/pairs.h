// The matrix of `cyclops pairs`: a table for people, or a JSON object for each cell.
#ifndef REPORT_PAIRS_H
#define REPORT_PAIRS_H

#include "study/pairs.h"

#include <stdio.h>

void pairs_print(const struct lab *lab, const struct pairs *pairs, FILE *out, bool colour);
bool pairs_print_json(const struct lab *lab, const struct pairs *pairs, FILE *out, struct fail *fail);

#endif
