// Private to this folder.
// Inside gen/ only: what the assembler's caller must know of an emitted file.
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include "base/arena.h"
#include "base/text.h"
#include "gen/program.h"

#include <stddef.h>

// Where a program is in the emitted file.
struct emit_place {
    const char *symbol; // program->symbol, made unique among the file's programs
    unsigned line, end; // of its first and behind its last line, from 1
    unsigned body_line; // of the first line of its body
};

// As gen_emit. Returns one place a program. Each symbol S has S.loop, S.body_end and S.loop_end beside it: begin of
// the loop, end of the last copy of the body, end of the branch back. A program with its own stack has S.exit, too.
const struct emit_place *emit_programs(struct arena *arena, const struct program *const *programs, size_t n_programs,
                                       struct text *out);

#endif
