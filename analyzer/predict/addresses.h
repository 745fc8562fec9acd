// Private to this folder.
// Where the accesses of a block go while it is repeated: as a run has recorded it, or else by following the values of
// general registers through moves, additions and stores, as far as they are plain. x86-64 only.
#ifndef ANALYZER_PREDICT_ADDRESSES_H
#define ANALYZER_PREDICT_ADDRESSES_H

#include "analyzer/predict/bounds.h"

enum { WORD = 8, LINE = 64, PAGE = 4096 }; // bytes

// A sum of something unknown and a number. Two values of one `base` differ by their offsets; nothing is known of two
// of different ones, but that they are meant to differ. Base 0 is the number alone.
struct value {
    uint32_t base;
    uint64_t offset;
};

struct place {
    struct value address;
    unsigned bytes; // 0: there is no access, or its width is unknown
};

// Aligned parts of so many bytes, a power of two up to 64, that a place is in. General registers begin at multiples of
// 64 bytes; what is at a value that was loaded is taken to be in one part. Where it moves with the copies of unrolled
// code: so many on average.
double place_parts(const struct bounds_request *request, const struct place *place, unsigned part);
// Whether each copy of unrolled code has a place of its own: relative to the program counter.
bool place_moves(const struct bounds_request *request, const struct place *place);

struct address_walk;

struct address_walk *address_walk_open(struct arena *arena, const struct bounds_request *request);
// Sets where the instruction loads from and stores to in this turn. Called for each instruction in order, turn by turn.
void address_walk_step(struct address_walk *walk, const struct cpu_recipe *recipe, struct place *from,
                       struct place *to);
// Whether a register holds what it held at the start, as far as that is followed.
bool address_walk_is_at_start(const struct address_walk *walk, unsigned unit);
// Accesses so far whose addresses nothing is known of: not even that they are so far from what a register held at the
// start.
unsigned address_walk_unfollowed(const struct address_walk *walk);

#endif
