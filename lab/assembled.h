// Bytes of programs that were assembled before. A survey measures the same programs in pass after pass; the assembler
// would take a tenth of its time.
#ifndef LAB_ASSEMBLED_H
#define LAB_ASSEMBLED_H

#include "base/index.h"
#include "gen/program.h"

#include <stdbool.h>

// All zero but the arena: no program is known.
struct assembled {
    struct arena *arena; // outlives it
    struct assembled_code *items;
    size_t n_items;
    struct index index;
};

// Neither of these takes programs with a stack of their own: blocks.

// Fills in the bytes of a program that is known, as the assembler does. They live as long as the arena. False: the
// program is not known. Programs are told apart by 64 bits of hash.
bool assembled_find(const struct assembled *assembled, struct program *program);

// Notes a program that has bytes, and copies these.
void assembled_add(struct assembled *assembled, const struct program *program);

#endif
