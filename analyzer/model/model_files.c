// Where the files of models are, by the names that users give.
#include "analyzer/model/model_files.h"

#include "analyzer/model/model.h"
#include "base/file.h"
#include "base/text.h"

#include <string.h>

// Files that are installed, by the beginning of their names.
struct shelf {
    const char *prefix, *folder, *suffix, *what;
    const char *own; // folder of the user's, which goes first; null: the user has no such files
};
static const struct shelf overlays = {"overlay:", "share/cyclops/machines", ".yaml", "machine", NULL},
                          cpu_files = {"cpu:", "share/cyclops/cpus", ".cpu.yaml", "CPU file", "cpus"};

// A CPU file, by its path or as on the shelf, that is simulated.
static const char simulated_prefix[] = "core:";

static bool is_on(const struct shelf *shelf, const char *name) {
    return text_starts(name, shelf->prefix);
}

bool model_name_is_installed(const char *name) {
    return is_on(&overlays, name) || is_on(&cpu_files, name);
}

bool model_name_is_simulated(const char *name) {
    return text_starts(name, simulated_prefix);
}

const char *model_own_prefix(bool is_simulated) {
    return is_simulated ? simulated_prefix : cpu_files.prefix;
}

bool model_is_cpu_file(const char *name) {
    return name &&
           (model_name_is_simulated(name) || is_on(&cpu_files, name) || file_has_suffix(name, cpu_files.suffix));
}

const char *model_name_without_core(struct arena *arena, const char *name) {
    if (!model_name_is_simulated(name))
        return name;
    const char *rest = name + strlen(simulated_prefix);
    return file_has_suffix(rest, cpu_files.suffix) ? rest : arena_printf(arena, "%s%s", cpu_files.prefix, rest);
}

bool model_is_overlay(const char *name) {
    return name && !model_is_cpu_file(name) && (is_on(&overlays, name) || file_has_suffix(name, overlays.suffix));
}

// Null: the folder has no such file.
static const char *path_in(struct arena *arena, const char *folder, const char *suffix, const char *wanted) {
    const char **files = NULL;
    size_t n = folder ? file_list(arena, folder, suffix, &files) : 0;
    return text_find(wanted, files, n) < n ? arena_printf(arena, "%s/%s", folder, wanted) : NULL;
}

// Adds the names of a folder's files, as users give them.
static void add_names(struct arena *arena, const struct shelf *shelf, const char *folder, const char ***names,
                      size_t *n) {
    const char **files = NULL;
    size_t n_files = folder ? file_list(arena, folder, shelf->suffix, &files) : 0;
    for (size_t i = 0; i < n_files; i++) {
        int length = (int)(strlen(files[i]) - strlen(shelf->suffix));
        const char *name = arena_printf(arena, "%s%.*s", shelf->prefix, length, files[i]);
        if (text_find(name, *names, *n) == *n)
            *ARENA_ADD(arena, *names, *n) = name;
    }
}

size_t model_list_cpu_files(struct arena *arena, const char *const **names) {
    const char **all = NULL;
    size_t n = 0;
    add_names(arena, &cpu_files, file_of_user(arena, cpu_files.own), &all, &n);
    add_names(arena, &cpu_files, file_installed(arena, cpu_files.folder), &all, &n);
    *names = all;
    return n;
}

static bool fail_unknown(struct arena *arena, const struct shelf *shelf, const char *name, struct fail *fail) {
    enum { MOST_NAMED = 24 };
    const char *folder = file_installed(arena, shelf->folder), **names = NULL;
    size_t n = 0;
    add_names(arena, shelf, shelf->own ? file_of_user(arena, shelf->own) : NULL, &names, &n);
    add_names(arena, shelf, folder, &names, &n);
    const char *near = text_did_you_mean(arena, name, names, n);
    struct text text = {.arena = arena};
    for (size_t i = 0; i < n && n <= MOST_NAMED && !*near; i++)
        text_addf(&text, "%s%s", i ? ", " : "; there are ", names[i]);
    return fail_set(fail, FAIL_INPUT, "no %s '%s' is installed in '%s'%s%s", shelf->what, name, folder, near,
                    text.data ? text.data : "");
}

const char *model_path_of(struct arena *arena, const char *name, struct fail *fail) {
    const struct shelf *shelf = is_on(&cpu_files, name) ? &cpu_files : &overlays;
    if (!is_on(shelf, name))
        return name;
    const char *wanted = arena_printf(arena, "%s%s", name + strlen(shelf->prefix), shelf->suffix);
    const char *path = shelf->own ? path_in(arena, file_of_user(arena, shelf->own), shelf->suffix, wanted) : NULL;
    if (!path)
        path = path_in(arena, file_installed(arena, shelf->folder), shelf->suffix, wanted);
    if (!path)
        fail_unknown(arena, shelf, name, fail);
    return path;
}

struct cpu *model_read_cpu_file(struct arena *arena, const char *name, struct fail *fail) {
    const char *path = model_path_of(arena, name, fail);
    return path ? cpu_read(arena, path, fail) : NULL;
}

const char *model_cpu_file_of(struct arena *arena, const char *vendor, unsigned family, unsigned model) {
    const char *const *names, *found = NULL;
    size_t n = model_list_cpu_files(arena, &names);
    for (size_t i = 0; i < n && !found; i++) {
        struct fail unread = {0};
        const char *path = model_path_of(arena, names[i], &unread);
        struct cpu *cpu = path ? cpu_read_identity(arena, path, &unread) : NULL;
        if (cpu && cpu_is_of(cpu, vendor, family, model))
            found = names[i];
        cpu_close(cpu);
    }
    return found;
}
