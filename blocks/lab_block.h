// Private to blocks/, lab/ and study/.
// A block that is made runnable: its bytes, what they use, how it starts, how it ends, and what trials of it showed.
#ifndef BLOCKS_LAB_BLOCK_H
#define BLOCKS_LAB_BLOCK_H

#include "analyzer/code/block.h"
#include "bench/sandbox/trial.h"
#include "blocks/block_memory.h"
#include "blocks/decoder.h"
#include "blocks/distortions.h"
#include "gen/block.h"
#include "gen/start_state.h"

#include <stdbool.h>
#include <stddef.h>

// Lowest address that a trial maps: that of distributions' vm.mmap_min_addr, which does not bind root.
enum { BLOCK_LOWEST_ADDRESS = 0x10000 };

// Addresses in general registers at the start of a block. Disjoint: each register has a kilobyte to itself, and memory
// holds the address of another one. Same: all registers hold one address, and all pages of memory are one page (as
// BHive measures), unless the user wants each to be its own.
enum block_alias { ALIAS_DISJOINT, ALIAS_SAME, N_ALIASES };
const char *block_alias_name(enum block_alias alias); // "disjoint", "same"

struct block_options {
    bool is_both;       // measure both, where that can make a difference; else `alias`
    bool is_both_asked; // by the user: one that fails is an error; else only the first is
    enum block_alias alias;
    enum block_memory memory; // default: own where registers hold different addresses, else shared
    uint64_t registers;       // address in general registers, the first one where they differ; 0 = 0x2324000
    bool has_fill;            // `fill` was requested; else memory holds addresses: of its own kilobyte, or `registers`
    uint64_t fill;            // content of each 8 bytes of memory
    unsigned most_pages;      // limit of pages that may appear; 0 = 64
    struct start_state state; // what the user gives registers and memory, and code before the block
};

// A block. Several experiments may measure it.
struct lab_block {
    struct block_source source;
    const char *label; // for tables and records
    bool is_of_object;
    bool is_function;    // by its symbol: a jump out of it goes on in other code
    const char *mistake; // why it is left out: it does not assemble, or its bytes do not decode; null: it is not
    struct block_options options;
    unsigned number; // its number in the plan, from 1
    const struct bench_patch
        *patches[N_ALIASES]; // what its memory holds by options.state; null: the alias is not wanted
    const uint8_t *bytes;    // bytes of one body; null: not assembled yet
    size_t n_bytes;
    struct bench_touch touches[N_ALIASES][DISTORTIONS_MOST_TOUCHES]; // accesses that may never fault
    unsigned n_touches[N_ALIASES];
    bool is_decoded; // else `insns`, `facts` and the next line mean nothing
    struct block insns;
    struct block_facts facts;
    bool loads, stores, moves_stack_pointer; // it does so, or may
    bool is_loop;                            // its last instruction goes back to its first, and its turns can be set
    bool returns;                            // to its caller: see blocks/returns.h
    bool is_routine;                         // it returns, by itself or by another function: it is called
    bool calls_others;                       // it calls, or may call, functions outside of it
    int x87_left;                            // see blocks/x87_stack.h
    bool leaves;                             // it has branches to what is outside of it
    uint64_t given_turns;                    // turns in a pass, by what the user gave; 0: unknown
    bool is_pass;                            // of such a loop: each pass begins with what the user gave
    const char *endless;                     // reason why they cannot, one clause; null: they can, or it is no loop
    struct block_turns turns[N_ALIASES];
    const struct start_state *starts[N_ALIASES]; // options.state, and pointers in vector registers; null: not known yet
    // Of a loop: the body without its last branch, for the unrolled form.
    struct block_source body_source;
    struct block_facts body_facts;
    struct program tried[N_ALIASES]; // programs of the trials
    struct trial trials[N_ALIASES];  // results of the trials
    bool was_tried[N_ALIASES];
    bool was_left_out; // a failure with one address in all registers was said, which nobody asked for
};

// The start of a program of the block.
struct block_start block_start_of(const struct lab_block *block, enum block_alias alias);

// Why a block with such an outcome does not come to its end, a clause; null: the outcome says it.
const char *block_why_endless(const struct lab_block *block, enum bench_outcome outcome);

// Distance by which one body moves the stack pointer, bytes; 0: none, or unknown.
int64_t block_drift(const struct lab_block *block, enum block_alias alias);

#endif
