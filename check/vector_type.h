// Private to this folder.
// RISC-V's vector type: what a vector instruction costs depends on it, and the machine code of a measured program does
// not hold it. A survey's kernels set it in their set-up.
#ifndef CHECK_VECTOR_TYPE_H
#define CHECK_VECTOR_TYPE_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

struct vector_types {
    struct vector_type {
        const char *kernel;
        const char *code; // the last vsetvli of its set-up, machine code, hex
    } * items;            // by the kernels' names
    size_t n;
};

// Reads the kernels of surveys' folders, those for RISC-V. Kernels whose set-up has no vsetvli are left out.
bool vector_types_read(struct arena *arena, const char *const *folders, size_t n, struct vector_types *types,
                       struct fail *fail);

// The machine code that sets a kernel's vector type, hex; null: nothing does.
const char *vector_types_find(const struct vector_types *types, const char *kernel);

// Machine code of the last "vsetvli REGISTER, x0, e32, m1, ta, ma" in assembly text, hex; null: there is none.
const char *vector_type_code(struct arena *arena, const char *setup);

#endif
