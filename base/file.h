// Files: reading whole ones, replacing them by renaming, and finding those that are installed with Cyclops.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

// Reads a whole file ("-": standard input), and adds a zero. `length` may be null. Fails where it cannot be read, or is
// too large.
bool file_read(struct arena *arena, const char *path, char **data, size_t *length, struct fail *fail);

// Returns the file's name in messages: "<stdin>" for "-".
const char *file_name(const char *path);
// Its last part: "c" of "a/b/c".
const char *file_base(const char *path);

// Writes a temporary file next to `path`, then renames it: readers see the old file or the new one, never a part.
// Writes devices and pipes directly, and /dev/stdout as standard output, whatever that is.
bool file_write(const char *path, const void *data, size_t length, struct fail *fail);

// Fails (FAIL_INPUT) where file_write could not write there, for work that takes long. Null: there is nothing to write.
bool file_can_write(const char *path, struct fail *fail);

// Whether two paths are of one file or folder, which need not exist.
bool file_is_same(const char *a, const char *b);

// Fails (FAIL_INPUT) where two files to write are one. `options`: the name of the option that states each, for the
// message. Null paths, devices and "-" are apart from all.
bool file_are_apart(const char *const *paths, const char *const *options, size_t n, struct fail *fail);

// Returns the first line of a small file, such as those of /sys, without its newline; null: it cannot be read.
char *file_first_line(struct arena *arena, const char *path);

// Returns the path of an installed file, <prefix>/<relative>, even where it does not exist. The prefix is the folder
// above that of the running program ("bin/.."), or environment variable CYCLOPS_PREFIX. The build tree has the layout
// of an installation.
const char *file_installed(struct arena *arena, const char *relative);
// A library has this: where it is installed itself, which goes before the running program's prefix. It is somebody
// else's program. Null: it is not known.
const char *file_prefix_of_library(struct arena *arena) __attribute__((weak));

// Returns the path of a file of the user's, $XDG_CONFIG_HOME/cyclops/<relative> or ~/.config/cyclops/<relative>, even
// where it does not exist; null: the user has no home.
const char *file_of_user(struct arena *arena, const char *relative);

// Sets `names` to those in folder `path` that end in `suffix`, sorted. Returns their number; 0 without such a folder.
size_t file_list(struct arena *arena, const char *path, const char *suffix, const char ***names);

// Returns a path in the folder of temporary files (environment variable TMPDIR, else /tmp) that mkstemp or mkdtemp
// completes: "/tmp/<name>-XXXXXX".
char *file_temporary(struct arena *arena, const char *name);

bool file_is_folder(const char *path);
bool file_make_folder(const char *path, struct fail *fail); // where it does not exist
// Makes the folder where it does not exist, and takes it for this process until the program ends. `what`: the work in
// it, for messages: "survey". Fails where another process has it.
bool file_lock_folder(struct arena *arena, const char *path, const char *what, struct fail *fail);
// Whether the name ends with the suffix, and has something before it.
bool file_has_suffix(const char *name, const char *suffix);

// Gives standard input, output and error a file where the caller has closed them, so that no file opened later gets
// their number. Reading or writing them still fails. Call it before any other file is opened.
void file_guard_standard(void);

#endif
