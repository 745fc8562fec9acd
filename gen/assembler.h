// Private to this folder.
// One run of GNU as: a text in, an object or its messages out. Inside gen/ only. Knows no program.
#ifndef GEN_ASSEMBLER_H
#define GEN_ASSEMBLER_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"
#include "gen/isa.h"

#include <stdbool.h>
#include <stddef.h>

struct assembler_result {
    bool is_assembled;
    const char *object; // where it is
    size_t n_object;    // bytes
    const char *name;   // of the assembler
    const char *messages;
};

// False where no assembler could be run to its end. A missing one is FAIL_UNAVAILABLE with the package to install.
bool assembler_run(struct arena *arena, const struct isa *isa, const struct text *text, struct assembler_result *result,
                   struct fail *fail);

#endif
