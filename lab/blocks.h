// Private to this folder.
// Blocks on their way to programs: assembled, decoded, tried once, and then surrounded by what fits them.
//
//     text ─ as ─► bytes ─ decoder ─► what they use ─┐
//                                 one trial run ─────┴─► programs: copies, counter, start, stack
#ifndef LAB_BLOCKS_H
#define LAB_BLOCKS_H

#include "analyzer/model/insn.h"
#include "base/arena.h"
#include "base/fail.h"
#include "bench/sandbox/trial.h"
#include "gen/block.h"
#include "lab/decoder.h"

#include <stdbool.h>
#include <stddef.h>

struct plan;
struct experiment;

// Whether registers that may be addresses are the same one at the start of a block. Disjoint: each general register has
// a kilobyte to itself, and what memory holds as an address is another one. Same: all are one address, and all pages of
// memory are one (as BHive measures).
enum block_alias { ALIAS_DISJOINT, ALIAS_SAME, N_ALIASES };
const char *block_alias_name(enum block_alias alias); // "disjoint", "same"

struct block_options {
    bool is_both; // measure both, where that can make a difference; else `alias`
    enum block_alias alias;
    uint64_t registers;  // what general registers hold, the first of them where they differ; 0 = 0x2324000
    bool has_fill;       // else memory holds addresses: of their own kilobyte, or `registers`
    uint64_t fill;       // what each 8 bytes of memory hold, where that was asked for
    unsigned most_pages; // of memory that may appear; 0 = 64
};

// A block, whatever it is measured as.
struct lab_block {
    struct block_source source;
    const char *label; // for tables and records
    bool is_refused;   // it does not assemble, or its bytes are no instructions
    bool is_function;  // what it returns by, where that is its last instruction, is left out
    struct block_options options;
    unsigned number;      // of the plan's blocks, from 1
    const uint8_t *bytes; // of one body; null: not assembled yet
    size_t n_bytes;
    bool is_decoded; // the rest of these means something
    struct block insns;
    struct block_facts facts;
    bool loads, stores, moves_stack_pointer; // or may
    struct program tried[N_ALIASES];         // the program of the trial,
    struct trial trials[N_ALIASES];          // and what came of it
    bool was_tried[N_ALIASES];
};

// What a program of the block starts with.
struct block_start block_start_of(const struct lab_block *block, enum block_alias alias);

// Makes the programs of all blocks of the plan; they are not assembled yet. `can_run`: the blocks run on this machine,
// so that they can be tried. Each costs itself only: one that does not assemble or cannot be decoded is refused, and of
// one that does not survive its trial the measurement has the outcome. False only where nothing can go on.
bool blocks_prepare(struct arena *arena, struct plan *plan, const struct decoder *decoder, bool can_run,
                    struct fail *fail);

// What was seen of the experiment's block, by its trial and its measurement, for its record.
void block_look(struct arena *arena, const struct decoder *decoder, struct experiment *experiment);

// After a measurement: where the unrolled copies of a block were more than it can run (it doubles a register that is an
// address, or walks over too many pages), a program with fewer, not assembled yet. False: it does not help.
bool block_shorten(struct arena *arena, struct experiment *experiment, struct fail *fail);

// Distance in bytes by which one body moves the stack pointer; 0 where that is not known.
int64_t block_drift(const struct lab_block *block, enum block_alias alias);

#endif
