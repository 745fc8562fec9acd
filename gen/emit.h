// Private to this folder.
// What the assembler's caller must know of an emitted file. Inside gen/ only.
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include "base/arena.h"
#include "base/text.h"
#include "gen/program.h"

#include <stdbool.h>
#include <stddef.h>

// Place of a program in the emitted file.
struct emit_place {
    const char *symbol; // program->symbol, made unique among the file's programs
    unsigned line, end; // its first line, and the line after its last one, from 1
    unsigned body_line; // first line of its body
    bool is_brief;      // two copies of its body are there, and room for the others
};

// As gen_emit. `are_brief`: has the assembler read two copies of each body and leave room for the others, where that
// may do. It reads a million lines a second, and a survey has twenty million of them. Returns one place per program.
// For each symbol S, the file also defines S.loop, S.body_end and S.loop_end: begin of the loop, end of the last copy
// of the body, end of the branch back. A program with its own stack also has S.entry and S.exit; one with a
// routine, S.routine and S.routine_end.
const struct emit_place *emit_programs(struct arena *arena, const struct program *const *programs, size_t n_programs,
                                       bool are_brief, struct text *out);

#endif
