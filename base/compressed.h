// Files that may be compressed, with zstd, gzip or xz: whoever reads FILE reads FILE.zst, FILE.gz or FILE.xz where FILE
// is not there. What is in a file decides, not its name.
#ifndef BASE_COMPRESSED_H
#define BASE_COMPRESSED_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Returns the path of the file that is there: `path`, or with ".zst", ".gz" or ".xz" behind it; null: none is.
const char *compressed_find(struct arena *arena, const char *path);
// Returns the path without such an ending.
const char *compressed_plain_name(struct arena *arena, const char *path);

// Opens one of them for reading what was compressed; close it with fclose. Null: errno says why. Reading fails (ferror)
// where a compressed file is damaged or cut short: errno is EBADMSG then.
FILE *compressed_open(const char *path);
// The text of such an error, or of any other.
const char *compressed_error_text(int error);

// As file_read (base/file.h), also of a file that is compressed.
bool compressed_read(struct arena *arena, const char *path, char **data, size_t *length, struct fail *fail);

// Replaces a file by FILE.zst, and such a file by FILE again. At each time one of them is there, and whole; where both
// are, they hold the same. A file that is not there needs neither.
bool compressed_pack(struct arena *arena, const char *path, struct fail *fail);
bool compressed_unpack(struct arena *arena, const char *path, struct fail *fail);

#endif
