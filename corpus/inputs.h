// Reads blocks from lists of machine code, assembly files, objects and folders of them.
#ifndef CORPUS_INPUTS_H
#define CORPUS_INPUTS_H

#include "corpus/blocks.h"

// Adds the blocks of an input: a folder; an ELF file; assembly (.s, .S), whose basic blocks are taken; else lines of
// hexadecimal digits, up to a comma. A malformed line is reported to the listener, and the rest goes on. Fails where
// the input cannot be read.
bool corpus_inputs_read(struct corpus_blocks *blocks, const char *path, struct fail *fail);

#endif
