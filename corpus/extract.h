// Finds the basic blocks of machine code, by disassembly.
#ifndef CORPUS_EXTRACT_H
#define CORPUS_EXTRACT_H

#include "corpus/blocks.h"
#include "corpus/profile.h"

// Adds the basic blocks of an ELF file. A block ends before a branch, call or return, and before a branch's target;
// those themselves are left out. Where bytes are no instruction, it goes on behind them.
bool extract_object(struct corpus_blocks *blocks, const struct object_file *file, struct fail *fail);

// Adds the basic blocks of one piece of code.
void extract_piece(struct corpus_blocks *blocks, const char *file, const struct object_piece *piece);

#endif
