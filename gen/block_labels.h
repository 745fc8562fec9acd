// Private to this folder.
// Labels of a block. A file may define a name only once, but it repeats a block: in the unrolled form, and in several
// programs. So each name becomes a numeric label of as, which may be defined repeatedly. Inside gen/ only.
#ifndef GEN_BLOCK_LABELS_H
#define GEN_BLOCK_LABELS_H

#include "base/arena.h"
#include "base/text.h"
#include "gen/statement.h"

#include <stdbool.h>
#include <stddef.h>

struct block_label {
    struct slice name;
    size_t statement; // index of the statement that defines it
    bool is_used;     // an instruction refers to it
};

struct block_labels {
    const struct isa *isa;
    struct block_label *labels; // labels with names; numeric ones stay unchanged
    size_t n_labels;
    const struct statement *repeated; // defines a label once more; null: none does
    bool has_exits; // a branch goes to a label that is not here: block_labels_numbered made it one to BLOCK_END_LABEL
};

struct block_labels block_labels_find(struct arena *arena, const struct isa *isa, const struct statement *statements,
                                      size_t n_statements);

// Keeps the labels that stand directly before a part of `text`, which begins at offset `begin`: they name its first
// instruction. `part` is a copy of the text without what is outside of the part.
void block_labels_keep_before(struct arena *arena, const struct isa *isa, const char *text, size_t begin, char *part);

// Returns statement `index` of a block with its labels as numbers. Drops definitions without references. References
// become 900001b or 900001f, by the label's place. A branch to a name that is not defined leaves the block. Empty where
// the statement was only an unused label.
struct slice block_labels_numbered(struct arena *arena, struct block_labels *labels, const struct statement *statement,
                                   size_t index);

#endif
