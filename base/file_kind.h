// What a file is that holds code, by its first bytes: so that one which cannot be taken gets a name.
#ifndef BASE_FILE_KIND_H
#define BASE_FILE_KIND_H

#include <stddef.h>

// Returns what a file is whose code nobody here takes, and what to give instead: "an archive: 'ar x' takes …". Null: it
// may be an ELF file, assembly, or a list of blocks. `name`: of the file, whose ending counts for sources.
const char *file_kind_refused(const char *name, const void *data, size_t n_bytes);

#endif
