// Which part of a block ran, as a recorded run shows. Knows no model.
#ifndef BLOCKS_PATH_H
#define BLOCKS_PATH_H

#include "blocks/decoder.h"
#include "blocks/followed.h"

struct path {
    unsigned n_ran, n_insns; // instructions of the block that ran at all, and all; without those that do nothing
    bool has_idle_loop;      // a loop inside did not run
    size_t idle_loop;        // offset of its first instruction in the block, bytes
    bool varies;             // what follows an instruction in a pass is not always the same: a CPU has to predict it
    double longest_loop;     // turns at a time of the loop inside that makes most, on average; 0: none turns
    // Of loops inside that are left several times in a pass, the one with most turns. 0: there is none.
    double n_left, n_turns; // how often it is left in a pass, and its turns in all
};

// False, and an empty path, where nothing was recorded or the bytes are not instructions as they ran.
bool path_find(struct arena *arena, const struct decoder *decoder, const struct program *program,
               const struct followed *followed, struct path *path);

// Whether less of the block ran than its reader expects.
static inline bool path_is_short(const struct path *path) {
    return path->has_idle_loop || 2 * path->n_ran < path->n_insns;
}

#endif
