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
    struct block_label *labels; // labels with names; numeric ones stay unchanged
    size_t n_labels;
};

struct block_labels block_labels_find(struct arena *arena, const struct statement *statements, size_t n_statements);

// Returns statement `index` of a block with its labels as numbers. Drops definitions without references. References
// become 900001b or 900001f, by the label's place. Empty where the statement was only an unused label.
struct slice block_labels_numbered(struct arena *arena, const struct block_labels *labels,
                                   const struct statement *statement, size_t index);

#endif
