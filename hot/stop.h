// Private to this folder.
// How a replay of recorded steps ends: after which step, and by what. x86-64 only.
#ifndef HOT_STOP_H
#define HOT_STOP_H

#include "hot/replay.h"
#include "hot/trace.h"

enum { STOP_JUMP_BYTES = 5 };

struct stop {
    enum hot_stop kind;
    size_t n_steps; // steps that run before control comes to `exit`
    uint64_t turns; // among them
    uint64_t exit;  // address where the jump stands that ends the replay
    // The register begins with this value. HOT_STOP_COUNT: this decides the end, or `patch` does. HOT_STOP_CELL: it is
    // the counter, and nothing else uses it; where there is no such register, a word of memory counts.
    bool sets_register;
    unsigned reg;
    uint64_t value;
    // These bytes of code, an instruction's immediate, are others.
    uint64_t patch_at;
    uint8_t patch[4];
    unsigned n_patch;
    // HOT_STOP_CELL: it ends when control comes to `exit` for that time. So many bytes of instructions there run
    // elsewhere.
    size_t count;
    unsigned n_moved;
};

// Chooses. Null; or the reason, one clause, why the steps cannot be ended, or not after whole turns.
const char *stop_choose(struct arena *arena, const struct trace *trace, struct stop *stop);

#endif
