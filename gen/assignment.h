// Private to this folder.
// The register of each role of a kernel in each stream of a program. Inside gen/ only. expand.c makes the text.
#ifndef GEN_ASSIGNMENT_H
#define GEN_ASSIGNMENT_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/kernel.h"

#include <stdbool.h>

struct assignment {
    const struct kernel *kernel;
    const struct kernel_arc *closed; // latency mode: its ends share a register; null otherwise
    unsigned streams;
    unsigned rotation;     // as in struct gen_request
    unsigned most_streams; // limit where as many streams as fit are requested; 0: GEN_MAX_STREAMS
    const char *loop_counter;
    unsigned char *registers; // index in the role's class, [stream * n_roles + role]
};

// Chooses the registers of `wanted` streams (0: as many as fit), and the loop's counter. The caller sets kernel,
// closed, rotation and most_streams. Fails (FAIL_INPUT) where the registers do not suffice.
bool assignment_make(struct arena *arena, struct assignment *assignment, unsigned wanted, struct fail *fail);

unsigned assignment_index(const struct assignment *assignment, unsigned stream, unsigned role); // index in its class

#endif
