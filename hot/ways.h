// Private to this folder.
// What recorded steps do: their accesses to memory, the ways of their branches.
#ifndef HOT_WAYS_H
#define HOT_WAYS_H

#include "hot/stop.h"
#include "hot/stub.h"
#include "hot/touches.h"

// Of the steps before the stop.
struct ways {
    struct stub_lines written; // lines that they write, or may write
    size_t n_lines;            // lines that they access
    double split, crossing, forwarded;
    struct hot_branch *branches;
    size_t n_branches;
    bool uses_fs;
    bool keeps_code; // accesses to pages of code, or unknown ones
    bool are_all;    // all accesses are known
    bool is_wide;    // vectors of more than 128 bits
};

void ways_find(struct arena *arena, const struct trace *trace, const struct stop *stop, struct ways *ways);

#endif
