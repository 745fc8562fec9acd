// Private to this folder.
// The notes of guardians: which files were changed, and what was in them. A folder with three files' worth of state:
// the folder itself is locked by whoever reads or writes the notes; "users" is locked (shared) by each guardian at
// work, so that the kernel forgets those that were killed; "settings.json" holds the notes. Only for guardian.c.
#ifndef BENCH_HOST_GUARDIAN_NOTES_H
#define BENCH_HOST_GUARDIAN_NOTES_H

#include "bench/host/guardian.h"

struct notes {
    struct arena *arena;
    const char *folder;
    int folder_fd, users_fd;          // -1: not open
    struct guarded_setting *settings; // `wanted` and `error` are not noted
    size_t n_settings;
};

// Opens the folder (makes it where `is_to_be_made`), locks it, and reads the notes; without a folder there are none.
// Notes of before the last start of the machine are void. Notes name files below /sys/devices/system/cpu only.
bool notes_open(struct notes *notes, struct arena *arena, const char *folder, bool is_to_be_made, struct fail *fail);
bool notes_read(struct notes *notes, struct fail *fail);  // again
bool notes_write(struct notes *notes, struct fail *fail); // no settings: removes the file
void notes_unlock(struct notes *notes);
bool notes_lock(struct notes *notes); // again
void notes_close(struct notes *notes);

void notes_enter(struct notes *notes); // we are a user
bool notes_leave(struct notes *notes); // we are none any longer; true if nobody else is

// The note of `path`; null: none.
struct guarded_setting *notes_find(const struct notes *notes, const char *path);

#endif
