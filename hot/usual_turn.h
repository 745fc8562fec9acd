// Private to this folder.
// The turn that a loop makes most often: the instructions of one way around it.
#ifndef HOT_USUAL_TURN_H
#define HOT_USUAL_TURN_H

#include "hot/state.h"

struct usual_turn {
    const uint8_t *bytes; // of its instructions, in the order in which they ran
    size_t n_bytes;
    double share;  // of all turns that are like it, 0 to 1
    bool is_plain; // the instructions stand one behind the other, and the last one branches back
};

// Looks at the first `n_steps` steps. Null, or a reason, one clause: no whole turn is in them, or its code cannot be
// read.
const char *usual_turn_find(struct arena *arena, const struct decoder *decoder, const struct hot_state *state,
                            size_t n_steps, struct usual_turn *turn);

#endif
