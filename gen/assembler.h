// Private to this folder.
// One run of GNU as: turns a text into an object or messages. Inside gen/ only.
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
    const char *object; // bytes of the object, where is_assembled
    size_t n_object;    // size of the object, bytes
    const char *name;   // name of the assembler
    const char *messages;
};

// Runs the assembler. Fails where it does not run to its end; where it is missing with FAIL_UNAVAILABLE and the package
// to install. Mistakes in the text are not a failure: is_assembled is false.
bool assembler_run(struct arena *arena, const struct isa *isa, const struct text *text, struct assembler_result *result,
                   struct fail *fail);

#endif
