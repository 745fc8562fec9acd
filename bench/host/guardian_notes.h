// Private to this folder.
// The notes of guardians: which files were changed, and what was in them. Only for guardian.c. The state is in three
// places:
//  - The folder itself: locked by the process that reads or writes the notes.
//  - "users" in it: locked (shared) by each guardian at work. The kernel drops the locks of those that are killed.
//  - "settings.json" in it: the notes.
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

// Opens the folder (makes it where `is_to_be_made`), locks it, and reads the notes; without a folder there are no
// notes. Ignores notes from before the machine's last start. Fails where others could write to the folder, or where a
// note names a file outside of /sys/devices/system/cpu.
bool notes_open(struct notes *notes, struct arena *arena, const char *folder, bool is_to_be_made, struct fail *fail);
bool notes_read(struct notes *notes, struct fail *fail);  // reads the notes again
bool notes_write(struct notes *notes, struct fail *fail); // removes the file where there are no settings
void notes_unlock(struct notes *notes);
bool notes_lock(struct notes *notes); // locks the folder again
void notes_close(struct notes *notes);

void notes_enter(struct notes *notes); // makes this process a user
bool notes_leave(struct notes *notes); // this process is not a user any more; true where nobody else is one

// Returns the note of `path`; null: there is no such note.
struct guarded_setting *notes_find(const struct notes *notes, const char *path);

#endif
