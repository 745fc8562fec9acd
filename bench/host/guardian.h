// Private to this folder.
// Changes files of the system for a while, and puts back what was there, however the program ends.
//  - A separate process, the guardian, does both. It has its own session and blocks all signals. The kernel shows it
//    the program's end, so it acts even when the whole process group is killed.
//  - The guardian first notes in a file what is to be put back. Where the guardian is killed itself, guardian_mend
//    (`cyclops doctor --restore`) or the next run puts that back.
//  - Programs that run at the same time share the notes: the last one that ends puts back.
// Not for ordinary files.
#ifndef BENCH_HOST_GUARDIAN_H
#define BENCH_HOST_GUARDIAN_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

enum { GUARDED_VALUE_BYTES = 64 };

// The setting in a file of one line.
struct guarded_setting {
    const char *path;
    const char *wanted; // line to write; null: write nothing, but put back what other settings change here
    int error;          // errno of writing it; 0: no error
    char before[GUARDED_VALUE_BYTES]; // line before the change; empty: not readable, so never written
    char after[GUARDED_VALUE_BYTES];  // line after all settings were written; empty: unknown
};

struct guardian;

// Starts the guardian, which notes the settings and then writes them in order. Returns once that is done, and fills
// `before`, `after` and `error` of each setting. `folder`: folder of the notes, made where it is missing; only this
// user may write to it. Returns null where it fails: the settings are then as before.
struct guardian *guardian_start(struct arena *arena, const char *folder, struct guarded_setting *settings,
                                size_t n_settings, struct fail *fail);

// Lets the guardian put everything back, in the order in which it was changed, and waits for that. Does not touch a
// file that somebody else has changed meanwhile: its line is not the one that the guardian left there.
void guardian_end(struct guardian *guardian);

// Settings that a killed guardian has left changed.
struct guardian_leftovers {
    bool is_in_use; // a guardian is at work, and the settings are its notes
    struct guarded_setting *settings;
    size_t n_settings;
};
// Reads them. Fails where the notes cannot be read; without a folder there are no leftovers.
bool guardian_look(struct arena *arena, const char *folder, struct guardian_leftovers *leftovers, struct fail *fail);
// Reads them as well, and puts them back unless a guardian is at work.
bool guardian_mend(struct arena *arena, const char *folder, struct guardian_leftovers *leftovers, struct fail *fail);

#endif
