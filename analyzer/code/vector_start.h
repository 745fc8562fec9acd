// RISC-V: code that begins with vector instructions, before any sets their configuration. What they do and cost depends
// on what the code in front left.
#ifndef ANALYZER_CODE_VECTOR_START_H
#define ANALYZER_CODE_VECTOR_START_H

#include "analyzer/code/block.h"
#include "analyzer/code/vector_config.h"

// Finds the first instruction of a block that needs a configuration before any other one sets it. Null: no instruction
// does so, or the triple is of another ISA.
const struct insn *vector_start_find(const char *triple, const struct block *block);

// Sets the pair that code leaves behind. False: it sets none.
bool vector_start_left(const uint8_t *code, size_t n_bytes, struct vector_config *config);

#endif
