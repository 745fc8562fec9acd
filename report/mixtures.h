// What mixtures of forms show of a model and of its repair, for people (check/values.h: struct check_mixture).
#ifndef REPORT_MIXTURES_H
#define REPORT_MIXTURES_H

#include "base/arena.h"
#include "check/check.h"
#include "repair/repair.h"

#include <stdio.h>

// Prints how far the checked model is off; nothing where there are no mixtures.
void mixtures_print_scores(struct arena *arena, const struct check_report *report, FILE *out);
// Prints errors before and after a repair, the mixtures that are furthest off after it, and the rules that mixtures
// have taken back; nothing where there are no mixtures.
void mixtures_print_repair(struct arena *arena, const struct repair_mixtures *mixtures, FILE *out);

#endif
