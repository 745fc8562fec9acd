// Other inputs of `cyclops mca` than assembly: machine code as hexadecimal digits, ELF objects and executables. Also
// its output for programs: one line per block.
#ifndef CLI_MCA_BYTES_H
#define CLI_MCA_BYTES_H

#include "analyzer/model/model.h"
#include "analyzer/sim/pipeline.h"
#include "base/arena.h"
#include "base/fail.h"
#include "blocks/object_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- Hexadecimal digits, one block per line. Text after a comma and empty lines are ignored.

struct mca_hex {
    const char *name; // name of the file, for messages
    FILE *in;
    char *text; // the current line
    size_t room;
    unsigned line;      // number of the current line, from 1
    struct arena arena; // memory of the current block
    uint8_t *bytes;     // bytes of the current block
    struct block block; // the current block
    struct fail fail;   // why the current line is not a block
};

// Opens a file ("-": standard input). Fails where it cannot be opened.
bool mca_hex_open(struct mca_hex *hex, const char *path, struct fail *fail);
// Opens lines that were read before. `name`: of their file; `text`: the lines, kept by the caller; `first_line`: number
// of the first one.
bool mca_hex_open_text(struct mca_hex *hex, const char *name, char *text, size_t n_bytes, unsigned first_line);
// Reads the next line that is not empty, and describes its block. Sets hex->fail where the line is not a block; the
// next one can still be read. Returns false at the end of the file, and where it cannot be read (hex->fail).
bool mca_hex_next(struct mca_hex *hex, const struct model *model);
// Returns "FILE:LINE" of the current block, valid until the next one.
const char *mca_hex_place(struct mca_hex *hex);
void mca_hex_close(struct mca_hex *hex);

// ---- ELF

// Describes the code of an object in `range`. Blocks have the names of their symbols or sections. Fails where there is
// no such code, or it cannot be described.
bool mca_describe_object(const struct model *model, struct arena *arena, const struct object_file *file,
                         const struct object_range *range, struct backend_source *source, struct fail *fail);

// ---- --brief

// Prints "CYCLES/ITERATION CYCLES INSTRUCTIONS UOPS NAME"; without NAME where the block has none. `thousandths`: of a
// cycle, of an iteration.
void mca_brief_print(const struct pipeline_result *result, uint64_t thousandths, const char *name, FILE *out);
// Prints "error FILE:LINE:COLUMN: text".
void mca_brief_print_error(const struct fail *fail, FILE *out);

#endif
