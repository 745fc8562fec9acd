// What limits a block on a CPU of ours, for people and as JSON.
#ifndef REPORT_EXPLAIN_BLOCK_H
#define REPORT_EXPLAIN_BLOCK_H

#include "base/json.h"
#include "study/explain_block.h"

#include <stdio.h>

void explain_block_print(struct arena *arena, const struct block_explanation *explanation, FILE *out, bool colour);
// The explanation as an object, which the caller owns; docs/reference/formats.md.
json_t *explain_block_object(struct arena *arena, const struct block_explanation *explanation);
// The same on one line.
bool explain_block_write_json(struct arena *arena, const struct block_explanation *explanation, FILE *out,
                              struct fail *fail);

#endif
