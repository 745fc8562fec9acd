// Private to this folder.
// Blocks that were measured twice: with the addresses in their registers apart, and with one address in all of them.
// What they load from where they have just stored takes another time than what lies elsewhere.
#ifndef REPORT_ALIASES_H
#define REPORT_ALIASES_H

#include "lab/experiment.h"

#include <stdio.h>

// Whether experiment number `at` only repeats what the other one of its block has: with one address, and no other
// result. Both are to be trusted.
bool aliases_agree(const struct plan *plan, size_t at);

// A sentence for each block and form where the two differ.
void aliases_print(struct arena *arena, const struct plan *plan, FILE *out);

#endif
