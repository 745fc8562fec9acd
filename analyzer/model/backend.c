// Finds and loads the modules behind which LLVM stands.
#include "analyzer/model/backend.h"

#include "base/file.h"
#include "base/text.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The one that is linked into the program, where there is one.
extern backend_entry_function cyclops_backend __attribute__((weak));

static const char module_prefix[] = "cyclops-llvm-";
static const char module_suffix[] = ".so";

// The version in a module's file name, "cyclops-llvm-19.so"; 0 where the name is another.
static unsigned module_major(const char *name) {
    if (!text_starts(name, module_prefix))
        return 0;
    char *end;
    const unsigned long major = strtoul(name + strlen(module_prefix), &end, 10);
    return strcmp(end, module_suffix) == 0 && major < 10000 ? (unsigned)major : 0;
}

// " (there is: 19, 20)", so that the user sees what can be had.
static const char *list_modules(struct arena *arena, const char *const *names, size_t n_names) {
    const char *list = "";
    for (size_t i = 0; i < n_names; i++)
        if (module_major(names[i]))
            list = arena_printf(arena, "%s%s%u", list, *list ? ", " : " (there is: ", module_major(names[i]));
    return *list ? arena_printf(arena, "%s)", list) : "";
}

static bool is_number(const char *text) {
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && text[digits] == '\0';
}

// Null and a failure where folder has no module of that version; 0 stands for the newest.
static const char *find_in_folder(struct arena *arena, const char *folder, unsigned long major, struct fail *fail) {
    const char **names = NULL;
    const size_t n_names = file_list(arena, folder, module_suffix, &names);
    const char *best = NULL;
    for (size_t i = 0; i < n_names; i++) {
        const unsigned found = module_major(names[i]);
        if (found && (major ? found == major : !best || found > module_major(best)))
            best = names[i];
    }
    if (best)
        return arena_printf(arena, "%s/%s", folder, best);
    if (major)
        fail_set(fail, FAIL_UNAVAILABLE,
                 "no module for LLVM %lu in %s%s; install llvm-%lu-dev and build Cyclops with "
                 "-DCYCLOPS_LLVM_VERSIONS=%lu",
                 major, folder, list_modules(arena, (const char *const *)names, n_names), major, major);
    else
        fail_set(fail, FAIL_UNAVAILABLE,
                 "no module for LLVM in %s; install llvm-22-dev or llvm-19-dev and build Cyclops again, or name its "
                 "folder with --llvm",
                 folder);
    return NULL;
}

static const char *find_module(struct arena *arena, const char *llvm, struct fail *fail) {
    const char *installed = file_installed(arena, "lib/cyclops");
    if (!llvm)
        return find_in_folder(arena, installed, 0, fail);
    if (is_number(llvm))
        return find_in_folder(arena, installed, strtoul(llvm, NULL, 10), fail);
    if (file_is_folder(llvm))
        return find_in_folder(arena, llvm, 0, fail);
    // dlopen searches the system for names without a slash.
    return strchr(llvm, '/') ? llvm : arena_printf(arena, "./%s", llvm);
}

static backend_entry_function *find_entry(void *module) {
    backend_entry_function *entry = NULL;
    void *symbol = dlsym(module, BACKEND_ENTRY);
    memcpy(&entry, &symbol, sizeof entry); // C has no cast from an object's to a function's address
    return entry;
}

static int newest_first(const void *a, const void *b) {
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x < y) - (x > y);
}

size_t backend_versions(struct arena *arena, const unsigned **majors) {
    const char **names = NULL;
    const size_t n_names = file_list(arena, file_installed(arena, "lib/cyclops"), module_suffix, &names);
    unsigned *found = ARENA_ARRAY(arena, unsigned, n_names + 1),
             built_in = cyclops_backend ? cyclops_backend()->major : 0;
    size_t n = 0;
    if (built_in)
        found[n++] = built_in;
    for (size_t i = 0; i < n_names; i++)
        if (module_major(names[i]) && module_major(names[i]) != built_in)
            found[n++] = module_major(names[i]);
    qsort(found, n, sizeof *found, newest_first);
    *majors = found;
    return n;
}

// Null where it is not the one that is wanted.
static const struct backend *find_built_in(struct arena *arena, const char *llvm) {
    const struct backend *backend = cyclops_backend ? cyclops_backend() : NULL;
    if (!backend)
        return NULL;
    if (llvm)
        return is_number(llvm) && strtoul(llvm, NULL, 10) == backend->major ? backend : NULL;
    const unsigned *majors;
    return backend_versions(arena, &majors) && backend->major == majors[0] ? backend : NULL;
}

const char *backend_asked(const char *llvm) {
    const char *asked = getenv("CYCLOPS_LLVM");
    return llvm || !asked || !*asked ? llvm : asked;
}

// Up to the second point: patches change neither interfaces nor the layout of classes.
static bool same_minor(const char *a, const char *b) {
    size_t n = strcspn(a, ".");
    n += a[n] == '.' ? 1 + strcspn(a + n + 1, ".") : 0;
    return strncmp(a, b, n) == 0 && (b[n] == '.' || b[n] == '\0');
}

const struct backend *backend_load(struct arena *arena, const char *llvm, struct fail *fail) {
    llvm = backend_asked(llvm);
    const struct backend *built_in = find_built_in(arena, llvm);
    if (built_in)
        return built_in;
    const char *path = find_module(arena, llvm, fail);
    if (!path)
        return NULL;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        const unsigned major = module_major(strrchr(path, '/') + 1);
        fail_set(fail, FAIL_UNAVAILABLE, "cannot load LLVM's module: %s; install libllvm%u, or build Cyclops again",
                 dlerror(), major ? major : 19);
        return NULL;
    }
    backend_entry_function *entry = find_entry(module);
    const struct backend *backend = entry ? entry() : NULL;
    if (!backend || backend->abi != BACKEND_ABI) {
        fail_set(fail, FAIL_UNAVAILABLE, "%s is not a module of this version of Cyclops; build and install both again",
                 path);
        return NULL;
    }
    if (!same_minor(backend->built_for, backend->version)) {
        fail_set(fail, FAIL_UNAVAILABLE,
                 "%s was built for LLVM %s, but the library that it finds is LLVM %s; build Cyclops again", path,
                 backend->built_for, backend->version);
        return NULL;
    }
    return backend;
}
