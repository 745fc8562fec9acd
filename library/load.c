// Where LLVM's modules are, for a library that is loaded into somebody else's program.
#include "base/file.h"
#include "library/internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The folder of the file that this code was loaded from: the shared library, or the program it is linked into.
static const char *own_folder(struct arena *arena) {
    static const char anchor = 0;
    Dl_info info;
    if (dladdr(&anchor, &info) == 0 || info.dli_fname == NULL)
        return ".";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash != NULL ? arena_copy(arena, info.dli_fname, (size_t)(slash - info.dli_fname)) : ".";
}

// Null where there is none: backend_load then says what is missing.
static const char *module_folder(struct arena *arena) {
    const char *prefix = getenv("CYCLOPS_PREFIX");
    if (prefix != NULL && *prefix != '\0')
        return arena_printf(arena, "%s/lib/cyclops", prefix);
    const char *own = own_folder(arena);
    const char *const places[] = {
        arena_printf(arena, "%s/cyclops", own),
        arena_printf(arena, "%s/../cyclops", own), // Debian: lib/x86_64-linux-gnu/libcyclops.so, lib/cyclops
        arena_printf(arena, "%s/../lib/cyclops", own),
        CYCLOPS_MODULES,
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (file_is_folder(places[i]))
            return places[i];
    return NULL;
}

const struct backend *library_load(struct arena *arena, const char *llvm, struct fail *fail) {
    const char *folder = module_folder(arena);
    llvm = backend_asked(llvm);
    if (folder == NULL)
        return backend_load(arena, llvm, fail);
    if (llvm == NULL)
        return backend_load(arena, folder, fail);
    bool is_version = llvm[strspn(llvm, "0123456789")] == '\0';
    return backend_load(arena, is_version ? arena_printf(arena, "%s/cyclops-llvm-%s.so", folder, llvm) : llvm, fail);
}
