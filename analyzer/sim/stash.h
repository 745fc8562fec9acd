// Private to the simulator and its cores.
// Memory that one run takes and the next one uses again. Unlike an arena's, it is not zeroed:
// most of what a run allocates is written before it is read, and clearing it would cost more than a short run.
#ifndef ANALYZER_SIM_STASH_H
#define ANALYZER_SIM_STASH_H

#include "base/arena.h"

#include <stddef.h>

// A zeroed struct is an empty stash.
struct stash {
    struct arena arena; // every block ever taken
    char *block;        // that serves the next allocation
    size_t used, room;  // bytes of it
};

// An array of `count` elements with any content.
#define STASH_ARRAY(stash, type, count) ((type *)stash_array((stash), (count), sizeof(type)))
// An array of zeroed elements.
#define STASH_ZEROED(stash, type, count) ((type *)stash_zeroed((stash), (count), sizeof(type)))
void *stash_array(struct stash *stash, size_t count, size_t element_bytes);
void *stash_zeroed(struct stash *stash, size_t count, size_t element_bytes);

// What was given out is given back; the memory is kept for the next run.
void stash_reset(struct stash *stash);
void stash_free(struct stash *stash);

#endif
