// Private to this folder.
// A block on its way to a program: its body as lines for the assembler, read from text (block_text.c) or from machine
// code and its references (block_bytes.c).
#ifndef GEN_BLOCK_READER_H
#define GEN_BLOCK_READER_H

#include "base/text.h"
#include "gen/block.h"
#include "gen/block_labels.h"
#include "gen/statement.h"

// A block on its way from text to program.
struct block_reader {
    struct arena *arena;
    const struct isa *isa;
    const char *name;
    const char *syntax; // null: unknown yet
    const struct block_request *request;
    const struct statement *statements;
    size_t n_statements;
    struct block_labels labels;
    struct text body;
    const char *routine; // null: the body calls none
    unsigned line_offset;
    unsigned *lines;
    unsigned n_lines, n_instructions;
    struct fail *fail;
};

// Read the body. block_read_text fails at the place of a mistake.
bool block_read_text(struct block_reader *reader, const struct block_source *source);
void block_read_bytes(struct block_reader *reader, const struct block_source *source);

void block_count_line(struct block_reader *reader, unsigned line); // notes that the body's next line is from `line`

#endif
