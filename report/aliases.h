// Private to this folder.
// Blocks that were measured twice: with different addresses in their registers, and with the same one in all. Loads
// from where the block has just stored take another time than other loads.
#ifndef REPORT_ALIASES_H
#define REPORT_ALIASES_H

#include "lab/experiment.h"

#include <stdio.h>

// Whether experiment `at`, with the same address in all registers, agrees with the other one of its block. False where
// one of the two is not reliable.
bool aliases_agree(const struct plan *plan, size_t at);

// Prints a sentence for each block and form where the two differ.
void aliases_print(struct arena *arena, const struct plan *plan, FILE *out);

#endif
