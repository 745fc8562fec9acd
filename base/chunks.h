// Work on a long input by several threads, a chunk at a time. The caller's thread reads chunks and takes their results,
// both in order; others work on them meanwhile. So only a few chunks are in memory, however long the input is.
#ifndef BASE_CHUNKS_H
#define BASE_CHUNKS_H

#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

enum { CHUNKS_MOST_JOBS = 256 };

// Returns the number of CPUs that this process may use, 1 to CHUNKS_MOST_JOBS.
unsigned chunks_usual_jobs(void);

struct chunks {
    void *context; // for all functions
    // Reads the next chunk. False at the end, and where it fails.
    bool (*read)(void *context, void *chunk, struct fail *fail);
    // Opens what a thread works with; null: `fail` has the reason. Called on that thread. `is_alone`: no other thread
    // works, and this is the caller's.
    void *(*open)(void *context, bool is_alone, struct fail *fail);
    // Works on a chunk. Called on any thread.
    void (*work)(void *worker, void *chunk);
    void (*close)(void *worker);
    // Takes the results of a chunk, in the order of reading. False: it fails, and all ends.
    bool (*take)(void *context, void *chunk, struct fail *fail);
    void *(*new_chunk)(void *context); // makes an empty chunk
    void (*free_chunk)(void *chunk);
};

// Reads, works on and takes all chunks. `n_jobs`: threads that work, at least 1. With one job, or one chunk, all is
// done on the caller's thread.
bool chunks_run(const struct chunks *chunks, unsigned n_jobs, struct fail *fail);

#endif
