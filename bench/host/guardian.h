// Private to this folder.
// Changes files of the system for a while, and puts back what was there however the program ends. A process of its own,
// the guardian, does both: it has its own session, takes no signals, and notices the end of the program through the
// kernel, so it acts also when that is killed with its whole process group. What is to be put back is noted in a file
// first; should the guardian itself be killed, guardian_mend (`cyclops doctor --restore`) or the next run does the
// work. Programs that run at the same time share the notes: the last one that ends puts back. Not for ordinary files.
#ifndef BENCH_HOST_GUARDIAN_H
#define BENCH_HOST_GUARDIAN_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

enum { GUARDED_VALUE_BYTES = 64 };

// One file of one line.
struct guarded_setting {
    const char *path;
    const char *wanted;               // what to write; null: nothing, only put back what the others change in it
    int error;                        // of writing, as in errno; 0: none
    char before[GUARDED_VALUE_BYTES]; // its line when first seen; empty: it cannot be read, and is left alone
    char after[GUARDED_VALUE_BYTES];  // read back once all were written; empty: not known
};

struct guardian;

// Starts the guardian, which notes and writes the settings in order; returns once that is done, with `before`, `after`
// and `error` filled. `folder` is where the notes are kept (made if it is not there); it must belong to this user. Null
// and a failure: nothing was changed.
struct guardian *guardian_start(struct arena *arena, const char *folder, struct guarded_setting *settings,
                                size_t n_settings, struct fail *fail);

// Has the guardian put everything back, in the order in which it was changed, and waits for that. A file that holds
// something else than what the guardian left there was changed by somebody else meanwhile: it is left alone.
void guardian_end(struct guardian *guardian);

// What a guardian that was killed has left behind.
struct guardian_leftovers {
    bool is_in_use; // a guardian is at work: these are its notes
    struct guarded_setting *settings;
    size_t n_settings;
};
bool guardian_look(struct arena *arena, const char *folder, struct guardian_leftovers *leftovers, struct fail *fail);
// Puts them back, where no guardian is at work.
bool guardian_mend(struct arena *arena, const char *folder, struct guardian_leftovers *leftovers, struct fail *fail);

#endif
