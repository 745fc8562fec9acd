// Private to this folder.
// Assembly text as statements: what GNU as separates by newlines and ';', without comments. Inside gen/ only.
#ifndef GEN_STATEMENT_H
#define GEN_STATEMENT_H

#include "base/arena.h"
#include "base/text.h"
#include "gen/isa.h"

#include <stdbool.h>
#include <stddef.h>

struct statement {
    struct slice text;  // trimmed, comments replaced by spaces; includes labels
    struct slice label; // "1" of "1: nop"; empty where there is none. Of several labels, the first
    struct slice rest;  // without its labels; may be empty
    size_t offset;      // of `text` in the source, bytes
    unsigned line;      // from 1
    unsigned column;    // from 1, in bytes
};

// Statements of `text`, none of them empty. Returns their number.
size_t statement_split(struct arena *arena, const struct isa *isa, const char *text,
                       const struct statement **statements);

// First word of a statement's `rest`: mnemonic or directive.
struct slice statement_word(const struct statement *statement);
bool statement_is_directive(const struct statement *statement); // ".p2align 4"
bool statement_is_instruction(const struct statement *statement);
// A label that as allows more than once: "1:", used as 1b or 1f.
bool statement_label_is_numeric(const struct statement *statement);

// What people call an instruction: its mnemonic and the classes of its operands, equal ones once:
// "vfmadd231ps zmm", "mov r64, [r64]".
const char *statement_label(struct arena *arena, const struct isa *isa, struct slice instruction);

#endif
