// Where Cyclops is installed, for a library that is loaded into somebody else's program.
#include "base/file.h"
#include "library/internal.h"

#include <dlfcn.h>
#include <string.h>

// The folder of the file that this code was loaded from: the shared library, or the program it is linked into.
static const char *own_folder(struct arena *arena) {
    static const char anchor = 0;
    Dl_info info;
    if (dladdr(&anchor, &info) == 0 || info.dli_fname == NULL)
        return ".";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash != NULL ? arena_copy(arena, info.dli_fname, (size_t)(slash - info.dli_fname)) : ".";
}

const char *file_prefix_of_library(struct arena *arena) {
    const char *own = own_folder(arena);
    const char *const places[] = {
        arena_printf(arena, "%s/..", own),    // lib/libcyclops.so, or a program in bin/
        arena_printf(arena, "%s/../..", own), // Debian: lib/x86_64-linux-gnu/libcyclops.so
        CYCLOPS_INSTALLED,
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (file_is_folder(arena_printf(arena, "%s/lib/cyclops", places[i])))
            return places[i];
    return NULL;
}
