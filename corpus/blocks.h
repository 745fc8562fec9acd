// The blocks of a corpus, each of them once. Runs and measures nothing.
#ifndef CORPUS_BLOCKS_H
#define CORPUS_BLOCKS_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/index.h"
#include "blocks/decoder.h"
#include "blocks/object_code.h"
#include "lab/listener.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CORPUS_MOST_BYTES = 4096 }; // of a block

struct corpus_block {
    const uint8_t *bytes;
    size_t n_bytes;
    const char *file;      // the first input that has it
    unsigned line;         // its line there, from 1; 0: the file is an object
    const char *symbol;    // the function that it is from; null: unknown
    uint64_t address;      // its address in the object; offset in an object file that is not linked
    uint64_t count;        // how often it was executed, by a profile; 0: unknown
    unsigned instructions; // their number; 0: unknown yet
    const char *left_out;  // why it cannot be measured: a word or two, then a colon and details; null: it can
};

// Blocks that are left out for one reason.
struct corpus_left_out {
    const char *reason; // up to its colon
    size_t n;
};

// All that a corpus reads from. The caller zeroes it, and sets what comes first.
struct corpus_blocks {
    struct arena *arena;
    const struct isa *isa;
    const struct decoder *decoder; // open
    const struct lab_listener *listener;
    bool is_strict;               // a malformed line ends the reading
    size_t most;                  // blocks to read; 0: all
    const struct profile *counts; // of objects; null: no profile
    struct object_range range;    // of objects
    struct corpus_block *items;
    size_t n;
    size_t n_repeated;  // blocks that were there before
    size_t n_malformed; // lines that hold no block
    size_t n_skipped;   // bytes of objects that are no instruction
    struct index index; // of the items, by their bytes
};

// Adds a block unless it is there already, or enough are there. Takes the bytes as they are, without a copy.
void corpus_blocks_add(struct corpus_blocks *blocks, const struct corpus_block *block);

bool corpus_blocks_are_enough(const struct corpus_blocks *blocks); // there are blocks->most

// Returns the number of the block with these bytes; blocks->n: there is none.
size_t corpus_blocks_find(const struct corpus_blocks *blocks, const uint8_t *bytes, size_t n_bytes);

// Makes the index anew, after items were taken out.
void corpus_blocks_index(struct corpus_blocks *blocks);

// Decodes all blocks: counts their instructions, and leaves out those that cannot be measured.
void corpus_blocks_decode(struct corpus_blocks *blocks);

// One line about what was read: "2000 blocks; 3 more are repeated; 1 line holds no block".
const char *corpus_blocks_summary(const struct corpus_blocks *blocks);

#endif
