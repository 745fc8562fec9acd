// The blocks of an assembly text: the regions that markers choose, or else all of it, each with the memory that comes
// with it. Also where the assembler puts a region: how far its loop is behind a line of 64 bytes counts.
//
//     text ─ markers ─► regions ─┬─ text of its own ─────────────────────────┐
//            └─ as ─► object ────┴─ bytes, where it refers to what is around ─┴─► blocks
#ifndef BLOCKS_TEXT_BLOCKS_H
#define BLOCKS_TEXT_BLOCKS_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/block.h"
#include "gen/start_state.h"

#include <stdbool.h>
#include <stddef.h>

struct text_block {
    const char *name;           // of its region, or of its function where the text has several; "": none
    unsigned line;              // of the marker that begins it; 0: no marker does
    size_t region;              // number of its region in the text
    struct start_state state;   // what annotations give registers and memory
    struct block_source source; // text, or machine code where it refers to what is outside of it
    struct fail refused;        // why it cannot be taken; status FAIL_NONE: it can
};

struct text_blocks {
    struct text_block *items;
    size_t n;
};

// Which of them; both null: all.
struct text_choice {
    const char *region; // of markers
    const char *symbol; // a function, whatever is marked
};

// Reads the blocks of source->text. Without markers, the text is one block, or each of its functions is where there are
// several. A symbol that an operand names and nothing defines gets an address (source.made_up). Fails at a wrong
// marker, and where there is no such region or function.
bool text_blocks_read(struct arena *arena, const struct block_source *source, const struct text_choice *choice,
                      struct text_blocks *blocks, struct fail *fail);

#endif
