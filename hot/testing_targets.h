// Programs whose loops are known, for the tests of this folder: the test itself, started again with a target's name.
// x86-64 only.
#ifndef HOT_TESTING_TARGETS_H
#define HOT_TESTING_TARGETS_H

#include "hot/state.h"

// In main, first: runs the target that the command line asks for. Returns its exit status; -1: it asks for none.
int testing_targets_main(int argc, char **argv);

// A target's loop in this program, and the command line that runs it.
struct testing_target {
    struct hot_module module;
    struct hot_range range;
    struct hot_loop loop;
    char *argv[8];
};
void testing_target_open(struct testing_target *target, const char *name);

#endif
