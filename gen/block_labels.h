// Private to this folder.
// Labels of a block. Names may be defined once in a file, but a block is repeated, in its unrolled form and in other
// programs of the same file; so each name becomes one of as's numeric labels, which may be defined again and again.
// Inside gen/ only.
#ifndef GEN_BLOCK_LABELS_H
#define GEN_BLOCK_LABELS_H

#include "base/arena.h"
#include "base/text.h"
#include "gen/statement.h"

#include <stdbool.h>
#include <stddef.h>

struct block_label {
    struct slice name;
    size_t statement; // that defines it
    bool is_used;     // some instruction refers to it
};

struct block_labels {
    struct block_label *labels; // those with names; numeric ones stay as they are
    size_t n_labels;
};

struct block_labels block_labels_find(struct arena *arena, const struct statement *statements, size_t n_statements);

// A statement, number `index` of its block, with its labels as numbers: definitions that nothing refers to are dropped,
// and references become 900001b or 900001f, by where the label stands. Empty where only an unused label was there.
struct slice block_labels_numbered(struct arena *arena, const struct block_labels *labels,
                                   const struct statement *statement, size_t index);

#endif
