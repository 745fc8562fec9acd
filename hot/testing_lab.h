// What the tests of this folder share: states copied from a target, with what the program printed.
#ifndef HOT_TESTING_LAB_H
#define HOT_TESTING_LAB_H

#include "hot/testing_targets.h"

// Runs a target, and copies its loop. `mode`: "once", "busy". Returns what it printed. Skips the test where nothing can
// be traced.
struct testing_copy {
    struct hot_state *state; // null: see `why`
    const char *why;
    struct hot_run run;
    char printed[64];
};
struct testing_copy testing_copy_state(struct arena *arena, const struct decoder *decoder,
                                       struct testing_target *target, const char *mode, size_t most_steps);

// What the target prints without us.
struct testing_copy testing_run_alone(struct arena *arena, const struct testing_target *target, const char *mode);

#endif
