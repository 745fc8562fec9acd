// What comments of an assembly text mark: the regions between LLVM-MCA-BEGIN [name] and LLVM-MCA-END [name], as
// llvm-mca reads them. Every reader of markers hands its comments to this one, whichever way it finds comments. Without
// any marker the whole text is one region. Regions with names may overlap.
#ifndef ANALYZER_CODE_MARKERS_H
#define ANALYZER_CODE_MARKERS_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARKERS_NOWHERE SIZE_MAX

struct marker_region {
    const char *name;  // "": it has none
    size_t begin, end; // places of its markers, in bytes from the text's start; MARKERS_NOWHERE: the text's own end
    bool is_open;      // its end has not been met
};

// Zeroed but for the arena: nothing has been read.
struct markers {
    struct arena *arena;
    struct marker_region *regions; // in the order of their begins
    size_t n_regions;
    size_t *open; // those that have no end yet, in order
    size_t n_open;
};

// A comment's meaning.
enum marker_kind {
    MARKER_NONE,
    MARKER_BEGIN,
    MARKER_END,
    MARKER_INSTRUMENT, // any other word of llvm-mca's: RISC-V's LLVM-MCA-RISCV-LMUL
    MARKER_STATE,      // a word of llvm-exegesis, of what holds before the code: LLVM-EXEGESIS-DEFREG
};

// Reads a comment without its mark. `rest`: what follows the prefix and, of begin and end, the word: a region's name.
enum marker_kind marker_read(struct slice comment, struct slice *rest);

// Why a marker is refused, in llvm-mca's words.
struct marker_mistake {
    const char *text, *note; // note: what else to know
    size_t note_at;          // place that the note is about; MARKERS_NOWHERE: the marker's own
};

// Take a marker at a place. False: it is refused. markers_end sets `index`, the region that ends.
// Where nothing was marked before, the first begin takes away the one region of the whole text.
bool markers_begin(struct markers *markers, struct slice name, size_t at, struct marker_mistake *mistake);
bool markers_end(struct markers *markers, struct slice name, size_t at, size_t *index, struct marker_mistake *mistake);

// Begins with the whole text as one region.
void markers_start(struct markers *markers, struct arena *arena);

#endif
