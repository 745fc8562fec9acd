// Private to this folder.
// Runs of GNU as: each turns a text into an object or messages. Several may run at the same time. Inside gen/ only.
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

// A run that has started.
struct assembler {
    struct arena *arena;
    const struct isa *isa;
    const char *name;
    int input, object, messages; // files in memory
    int pid;
};

// Starts a run. Fails where it cannot; where the assembler is missing with FAIL_UNAVAILABLE and the package to install.
bool assembler_start(struct arena *arena, const struct isa *isa, const struct text *text, struct assembler *assembler,
                     struct fail *fail);

// Waits for the end of a run; every run that has started needs that. Fails where it was ended from outside. Mistakes in
// the text are not a failure: is_assembled is false.
bool assembler_finish(struct assembler *assembler, struct assembler_result *result, struct fail *fail);

#endif
