// Private to this folder.
// Versions of symbols: a shared object may hold several functions of one name, such as hypotf@GLIBC_2.2.5 and
// hypotf@@GLIBC_2.35. Two signs of @ mark the default, which a program gets that is linked now.
#ifndef BLOCKS_OBJECT_VERSIONS_H
#define BLOCKS_OBJECT_VERSIONS_H

#include "base/arena.h"

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

struct object_version {
    const char *name; // null: the symbol has no version
    bool is_default;
};

struct object_versions {
    Elf_Data *numbers;  // of the version of each symbol; null: they have none
    const char **names; // by number; null where the file defines none
    size_t n;
};

// Reads the versions of the symbols in the table `symbols`.
struct object_versions object_versions_read(struct arena *arena, Elf *elf, Elf_Scn *symbols);
struct object_version object_versions_of(const struct object_versions *versions, int symbol);

// Splits a name as "exp@@GLIBC_2.29" in two, as .symtab holds it. Returns the part before the version.
const char *object_version_split(struct arena *arena, const char *name, struct object_version *version);

// Whether a symbol is the one that a user names: without a version, or by its own, after one or two signs.
bool object_version_is_meant(const char *name, const struct object_version *version, const char *wanted);
// The name to show: with its version, where that is not the default.
const char *object_version_show(struct arena *arena, const char *name, const struct object_version *version);

#endif
