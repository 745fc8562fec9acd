// The regions that markers choose in an assembly text, for commands that assemble it with GNU as. What markers mean
// states analyzer/code/markers.h, for llvm-mca's reader as well; but here a region must have an end, and an annotation
// that would have no effect is a mistake.
#ifndef BLOCKS_MARKED_TEXT_H
#define BLOCKS_MARKED_TEXT_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/isa.h"
#include "gen/start_state.h"

#include <stdbool.h>
#include <stddef.h>

struct text_region {
    const char *name;  // "": it has none
    size_t begin, end; // offsets of its text, bytes: from the one marker to the other, which is not part of it
    unsigned line;     // of the marker that begins it; 0: no marker does
    // What llvm-exegesis' annotations in it, or outside of all regions, give registers and memory.
    struct start_state state;
    struct fail refused; // a mistake in it; status FAIL_NONE: there is none
};

struct marked_text {
    struct text_region *regions; // in the order of their begins; at least one
    size_t n_regions;
    bool is_marked; // else the one region is the whole text
};

// Reads the markers. `name`: of the text, for messages. A mistake inside a region refuses that one, if there are
// others: it has no end, or a word of LLVM-MCA- or LLVM-EXEGESIS- is wrong. Fails at the place of any other: an end
// without a begin, two open regions of one name, a wrong word outside of all regions.
bool marked_text_read(struct arena *arena, const struct isa *isa, const char *name, const char *text,
                      struct marked_text *marked, struct fail *fail);

// Adds what a user gives registers and memory otherwise, which counts more.
bool marked_text_add_state(struct arena *arena, const struct isa *isa, const struct start_state *users,
                           struct start_state *state, struct fail *fail);

// Returns the region of that name. Fails with the names that there are.
const struct text_region *marked_text_find(struct arena *arena, const struct marked_text *marked, const char *file,
                                           const char *name, struct fail *fail);

// Returns the text with blanks in place of the other regions' markers, and of what is in these only, whose mistakes are
// theirs. So the region is the first and only one. Lines stay.
const char *marked_text_alone(struct arena *arena, const char *text, const struct marked_text *marked,
                              const struct text_region *region);

#endif
