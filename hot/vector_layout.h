// Where an XSAVE area that is not compacted has the parts of vector registers. CPUs differ in it: the same part is
// elsewhere on another one.
#ifndef HOT_VECTOR_LAYOUT_H
#define HOT_VECTOR_LAYOUT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vector_part {
    VECTOR_YMM_HIGH, // upper halves of ymm0 to ymm15
    VECTOR_MASKS,    // k0 to k7
    VECTOR_ZMM_HIGH, // upper halves of zmm0 to zmm15
    VECTOR_HIGH_ZMM, // zmm16 to zmm31
    VECTOR_PARTS,
};

struct vector_layout {
    uint32_t at[VECTOR_PARTS]; // byte of the area; 0: this CPU has no such registers
};

struct vector_layout vector_layout_here(void); // all zero but on x86-64

// Whether each part that an area holds by its header is in it.
bool vector_layout_fits(const struct vector_layout *layout, const uint8_t *area, size_t n_bytes);

// An area in another layout. Parts that this one lacks are left out.
uint8_t *vector_layout_move(struct arena *arena, const uint8_t *area, size_t n_bytes, const struct vector_layout *from,
                            const struct vector_layout *to, size_t *n_moved);

#endif
