// What `cyclops mca` reads beside assembly: machine code as hexadecimal digits, and ELF objects and executables. And
// what it prints for machines to read: one line a block.
#ifndef CLI_MCA_BYTES_H
#define CLI_MCA_BYTES_H

#include "analyzer/model/model.h"
#include "analyzer/pipeline/pipeline.h"
#include "base/arena.h"
#include "base/fail.h"
#include "lab/object_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- Hexadecimal digits, one block a line; what stands behind a comma is not read, empty lines are skipped.

struct mca_hex {
    const char *name; // of the file, for messages
    FILE *in;
    char *text; // of the current line
    size_t room;
    unsigned line;      // from 1
    struct arena arena; // of the current block
    uint8_t *bytes;     // of the current block, before it is described
    struct block block; // the current one
    struct fail fail;   // why the current line is none
};

// "-": standard input.
bool mca_hex_open(struct mca_hex *hex, const char *path, struct fail *fail);
// Lines of the file `name` that were read already, the first of which has this number; `text` must live as long.
bool mca_hex_open_text(struct mca_hex *hex, const char *name, char *text, size_t n_bytes, unsigned first_line);
// Reads the next line that is not empty, and describes its block; where hex->fail is set afterwards the line is none,
// and the one behind it can be read all the same. False at the end of the file, and where it cannot be read
// (hex->fail).
bool mca_hex_next(struct mca_hex *hex, const struct model *model);
// "FILE:LINE" of the current block; lives until the next one.
const char *mca_hex_place(struct mca_hex *hex);
void mca_hex_close(struct mca_hex *hex);

// ---- ELF

// Blocks are named by their symbols or sections.
bool mca_describe_object(const struct model *model, struct arena *arena, const struct object_file *file,
                         const struct object_range *range, struct backend_source *source, struct fail *fail);

// ---- --brief

// "CYCLES/ITERATION CYCLES INSTRUCTIONS UOPS NAME", separated by blanks; without NAME where the block has none.
void mca_brief_print(const struct pipeline_result *result, uint64_t iterations, const char *name, FILE *out);
// "error FILE:LINE:COLUMN: text"
void mca_brief_print_error(const struct fail *fail, FILE *out);

#endif
