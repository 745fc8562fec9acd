// Private to this folder.
// Assembly text as statements without comments. Newlines and ';' separate them, as in GNU as. Inside gen/ only.
#ifndef GEN_STATEMENT_H
#define GEN_STATEMENT_H

#include "base/arena.h"
#include "base/text.h"
#include "gen/isa.h"

#include <stdbool.h>
#include <stddef.h>

struct statement {
    struct slice text;  // trimmed, comments replaced by spaces; includes labels
    struct slice label; // "1" of "1: nop"; empty: no label. The first of several, preferably one that is not a number
    struct slice rest;  // `text` without its labels; may be empty
    size_t offset;      // offset of `text` in the source, bytes
    unsigned line;      // from 1
    unsigned column;    // from 1, in bytes
};

// Splits `text` into statements that are not empty. Returns their number.
size_t statement_split(struct arena *arena, const struct isa *isa, const char *text,
                       const struct statement **statements);

// Returns the first word of a statement's `rest`: mnemonic or directive.
struct slice statement_word(const struct statement *statement);
bool statement_is_directive(const struct statement *statement); // ".p2align 4"
bool statement_is_instruction(const struct statement *statement);
// Whether the label is a number: "1:", used as 1b or 1f. as allows to define such labels repeatedly.
bool statement_label_is_numeric(const struct statement *statement);

// Returns the name of an instruction for people: its mnemonic and the classes of its operands, or one class where all
// are equal: "vfmadd231ps zmm", "mov r64, [r64]".
const char *statement_label(struct arena *arena, const struct isa *isa, struct slice instruction);

#endif
