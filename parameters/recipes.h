// Private to this folder.
// The instructions of the experiments, by ISA, as templates of kernel bodies (gen/kernel.h). In a template, $i is the
// number of the copy, from 0 to RECIPE_REGISTERS - 1; $o a displacement in one cache line that goes with it; $w the
// role of a chase.
#ifndef PARAMETERS_RECIPES_H
#define PARAMETERS_RECIPES_H

#include "base/text.h"

enum { RECIPE_REGISTERS = 6 };

enum recipe_line {
    LINE_STEP,      // loads the next address of chase $w
    LINE_NOP,       // does nothing
    LINE_INTEGER,   // writes a general register and no flags
    LINE_ADD,       // the same by an add, to as many pipes as there are
    LINE_VECTOR,    // writes a vector register
    LINE_LOAD,      // loads from the first-level cache
    LINE_LOAD_WIDE, // the same into a vector register
    LINE_STORE,
    LINE_STORE_WIDE, // stores a vector register
    LINE_MULTIPLY,
    LINE_ZERO,          // zeroes a general register
    LINE_MOVE,          // copies a general register
    LINE_VECTOR_MOVE,   // copies a vector register
    LINE_MASK,          // writes a mask register
    LINE_COMPARE,       // writes flags only, or nothing
    LINE_BRANCH,        // is not taken
    LINE_TAKEN,         // a branch to the next instruction
    LINE_INTEGER_WAITS, // as LINE_INTEGER, but waits for chase $w
    LINE_VECTOR_LEADS,  // loads what LINE_VECTOR_WAITS waits for
    LINE_VECTOR_WAITS,
    LINE_LOAD_WAITS,
    LINE_LOAD_WIDE_WAITS,
    RECIPE_N_LINES,
};

struct recipe {
    const char *isa;                   // family, as in struct isa
    const char *syntax;                // of its kernels; "": the ISA has one
    const char *lines[RECIPE_N_LINES]; // null: the ISA has no such instruction
    const char *vector_feature;        // CPU feature of its vector lines; null: every CPU has it
    const char *mask_feature;          // the same of its mask lines
};

const struct recipe *recipe_find(const char *isa); // null: none

// Adds a line of a template to a body. `number`: of the copy, from 0.
void recipe_add(struct text *body, const char *line, unsigned number, const char *chase);

#endif
