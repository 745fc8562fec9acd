// Private to this folder.
// What the assembler's caller must know of an emitted file. Inside gen/ only.
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include "base/arena.h"
#include "base/text.h"
#include "gen/program.h"

#include <stddef.h>

// Place of a program in the emitted file.
struct emit_place {
    const char *symbol; // program->symbol, made unique among the file's programs
    unsigned line, end; // its first line, and the line after its last one, from 1
    unsigned body_line; // first line of its body
};

// As gen_emit. Returns one place per program. For each symbol S, the file also defines S.loop, S.body_end and
// S.loop_end: begin of the loop, end of the last copy of the body, end of the branch back. A program with its own stack
// also has S.entry and S.exit.
const struct emit_place *emit_programs(struct arena *arena, const struct program *const *programs, size_t n_programs,
                                       struct text *out);

#endif
