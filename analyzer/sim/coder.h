// Private to the simulator and its cores.
// The state of a core between two cycles as a row of numbers, relative to the cycle and the instruction that come next:
// two runs of the same block with equal rows go on alike. Each unit puts its own state, and leaves out what follows
// from other parts, and what has no influence any more.
#ifndef ANALYZER_SIM_CODER_H
#define ANALYZER_SIM_CODER_H

#include "analyzer/sim/stash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Writes a row, or compares with one that was written before.
struct coder {
    struct stash *stash; // where the row grows; null: compares
    uint64_t *words;
    size_t n, n_words; // put so far; of the row, or room for it
    bool differs;      // from that row: whoever puts much may stop then
    // What the numbers are relative to: the next cycle, the next instruction to enter, and the oldest one that may be
    // in flight.
    int64_t now;
    uint64_t next, oldest;
    int64_t back; // cycles by which times that are over count; those before are all alike
};

void coder_grow(struct coder *coder);

static inline void coder_put(struct coder *coder, uint64_t word) {
    if (coder->stash == NULL) {
        if (coder->n >= coder->n_words || coder->words[coder->n] != word)
            coder->differs = true;
    } else {
        if (coder->n == coder->n_words)
            coder_grow(coder);
        coder->words[coder->n] = word;
    }
    coder->n++;
}

// Several words at once, of which there are at most `most`: they are written to where this returns, `aside` or the row,
// and then put.
static inline uint64_t *coder_begin(struct coder *coder, uint64_t *aside, size_t most) {
    if (coder->stash == NULL)
        return aside;
    while (coder->n + most > coder->n_words)
        coder_grow(coder);
    return &coder->words[coder->n];
}
static inline void coder_end(struct coder *coder, const uint64_t *words, size_t n) {
    if (coder->stash == NULL) {
        uint64_t difference = coder->n + n > coder->n_words;
        for (size_t i = 0; i < n && coder->n + i < coder->n_words; i++)
            difference |= coder->words[coder->n + i] ^ words[i];
        coder->differs |= difference != 0;
    }
    coder->n += n;
}

// Cycles from now; those that are over are all alike.
static inline void coder_put_ahead(struct coder *coder, int64_t cycle) {
    coder_put(coder, cycle > coder->now ? (uint64_t)(cycle - coder->now) : 0);
}

// Instructions from the next one back.
static inline uint64_t coder_insns_ago(const struct coder *coder, uint64_t index) {
    return coder->next - index;
}

// For a signature: what tells most states apart, and is at hand.
static inline uint64_t signature_mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

#endif
