// Private to this folder.
// Reads assembled programs out of an ELF object. Inside gen/ only.
#ifndef GEN_OBJECT_H
#define GEN_OBJECT_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/emit.h"
#include "gen/program.h"

// Fills in code and ranges of all programs; the code is in the arena. A brief program gets the other copies of its
// body. Where its first two are not alike, it gets no code. Fails where a program refers to something outside itself:
// there is no linker.
bool object_read(struct arena *arena, const void *object, size_t n_bytes, struct program *const *programs,
                 const struct emit_place *places, size_t n_programs, struct fail *fail);

#endif
