// Files: read whole, written aside and renamed, and found below the place Cyclops is installed in.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

// Reads a whole file ("-": standard input), zero-terminated. `length` may be null.
bool file_read(struct arena *arena, const char *path, char **data, size_t *length, struct fail *fail);

// What messages call it: "<stdin>" where the path is "-".
const char *file_name(const char *path);

// Writes beside `path`, then renames: readers see the old file or the new one, never a part.
bool file_write(const char *path, const void *data, size_t length, struct fail *fail);

// First line of a small file such as those of /sys, without its newline; null if it cannot be read.
char *file_first_line(struct arena *arena, const char *path);

// Where an installed file is: <prefix>/<relative>, the prefix being the folder above the running program's
// ("bin/.."). The build tree has the same layout as an installation. Environment variable CYCLOPS_PREFIX
// replaces the prefix. Returns the path whether or not the file exists.
const char *file_installed(struct arena *arena, const char *relative);

// Names in folder `path` that end in `suffix`, sorted; returns their number, 0 also where there is no such folder.
size_t file_list(struct arena *arena, const char *path, const char *suffix, const char ***names);

bool file_is_folder(const char *path);
// Whether the name ends so, with something before it.
bool file_has_suffix(const char *name, const char *suffix);

#endif
