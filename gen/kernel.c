#include "gen/kernel.h"

#include "base/bytes.h"
#include "base/compressed.h"
#include "base/file.h"
#include "base/index.h"
#include "base/text.h"
#include "gen/isa.h"
#include "gen/kernel_read.h"

#include <string.h>

static bool read_isa(struct kernel_file *file, struct fy_node *node) {
    const char *name = yaml_text(&file->yaml, node);
    if (!name)
        return yaml_fail(&file->yaml, node, "'isa' must be a name, such as x86_64");
    file->isa = isa_find(name);
    if (file->isa && file->wanted && strcmp(file->isa->name, isa_family(file->wanted)) == 0)
        file->isa = file->wanted;
    return file->isa ? true : yaml_fail(&file->yaml, node, "%s", isa_unknown(file->yaml.arena, name));
}

static bool read_syntax(struct kernel_file *file, struct fy_node *node) {
    const char *const *syntaxes = file->isa->syntaxes;
    file->syntax = syntaxes[0] ? syntaxes[0] : "";
    if (!node)
        return true;
    const char *name = yaml_text(&file->yaml, node);
    if (!name)
        return yaml_fail(&file->yaml, node, "'syntax' must be a name, such as intel");
    size_t n = 0;
    for (; syntaxes[n]; n++)
        if (strcmp(syntaxes[n], name) == 0) {
            file->syntax = syntaxes[n];
            return true;
        }
    if (!n)
        return yaml_fail(&file->yaml, node, "%s has one syntax only: leave out 'syntax: %s'", file->isa->name, name);
    return yaml_fail(&file->yaml, node, "unknown syntax '%s' of %s%s", name, file->isa->name,
                     text_did_you_mean(file->yaml.arena, name, syntaxes, n));
}

static void add_name(struct index *names, const struct kernel_set *set, size_t number) {
    const char *name = set->kernels[number].name;
    index_add(names, bytes_hash(name, strlen(name)), number);
}

// Fails where another kernel has the name.
static bool check_unused_name(struct kernel_file *file, const struct kernel_set *set, const struct index *names,
                              const struct kernel *kernel, struct fy_node *node) {
    uint64_t hash = bytes_hash(kernel->name, strlen(kernel->name));
    for (size_t place = 0, i; (i = index_next(names, hash, &place)) != INDEX_END;) {
        const struct kernel *other = &set->kernels[i];
        if (strcmp(other->name, kernel->name) == 0)
            return yaml_fail(&file->yaml, node, "the kernel '%s' is already at %s:%u", kernel->name, other->file,
                             other->line);
    }
    return true;
}

static struct fy_node *name_node(struct kernel_file *file, struct fy_node *mapping) {
    void *iterator = NULL;
    struct fy_node *key, *value;
    while (yaml_next_pair(mapping, &iterator, &key, &value)) {
        const char *name = yaml_text(&file->yaml, key);
        if (name && strcmp(name, "name") == 0)
            return value;
    }
    return mapping;
}

static bool read_kernels(struct kernel_file *file, struct fy_node *sequence, struct kernel_set *set) {
    if (!yaml_is_sequence(sequence))
        return yaml_fail(&file->yaml, sequence, "'kernels' must be a list: begin each kernel with '- name:'");
    void *iterator = NULL;
    struct index names = {.arena = file->yaml.arena}; // of this ISA: surveys have tens of thousands
    for (size_t i = 0; i < set->n_kernels; i++)
        if (set->kernels[i].isa == file->isa)
            add_name(&names, set, i);
    struct fy_node *node;
    bool is_good = true;
    while (is_good && (node = yaml_next_item(sequence, &iterator))) {
        struct kernel kernel = {0};
        is_good =
            kernel_read(file, node, &kernel) && check_unused_name(file, set, &names, &kernel, name_node(file, node));
        if (is_good) {
            *ARENA_ADD(file->yaml.arena, set->kernels, set->n_kernels) = kernel;
            add_name(&names, set, set->n_kernels - 1);
        }
    }
    return is_good;
}

static bool read_file(struct kernel_file *file, struct kernel_set *set) {
    struct yaml *yaml = &file->yaml;
    enum { ISA, SYNTAX, REQUIRES, KERNELS, N_KEYS };
    struct yaml_field fields[N_KEYS] = {
        [ISA] = {.key = "isa", .required = true},
        [SYNTAX] = {.key = "syntax"},
        [REQUIRES] = {.key = "requires"},
        [KERNELS] = {.key = "kernels", .required = true},
    };
    if (!yaml_root(yaml) || !yaml_is_mapping(yaml_root(yaml)))
        return fail_at(yaml->fail, yaml->path, 1, 1,
                       "a kernel file begins with 'isa: x86_64' or its like; a list below 'kernels:' has the kernels");
    return yaml_fields(yaml, yaml_root(yaml), "a kernel file", fields, N_KEYS) && read_isa(file, fields[ISA].value) &&
           read_syntax(file, fields[SYNTAX].value) &&
           (!fields[REQUIRES].value || yaml_texts(yaml, fields[REQUIRES].value, "a CPU feature", &file->features,
                                                  &file->feature_nodes, &file->n_features)) &&
           read_kernels(file, fields[KERNELS].value, set);
}

bool kernel_read_file(struct arena *arena, const char *path, const struct isa *wanted, struct kernel_set *set,
                      struct fail *fail) {
    struct kernel_file file = {.wanted = wanted};
    bool done = yaml_open(&file.yaml, arena, arena_strdup(arena, path), fail) && read_file(&file, set);
    yaml_close(&file.yaml);
    return done;
}

bool kernel_load_text(struct arena *arena, const char *path, const char *text, const struct isa *isa,
                      struct kernel_set *set, struct fail *fail) {
    struct kernel_file file = {.wanted = isa};
    bool done = yaml_open_text(&file.yaml, arena, path, text, fail) && read_file(&file, set);
    yaml_close(&file.yaml);
    return done;
}

// Adds all kernels of a file, or none where it fails.
static bool load_of(struct arena *arena, const char *path, const struct isa *isa, struct kernel_set *set,
                    struct fail *fail) {
    size_t before = set->n_kernels;
    bool is_good = kernel_read_file(arena, path, isa, set, fail);
    for (size_t i = before; i < set->n_kernels && is_good; i++)
        if (set->kernels[i].isa != isa)
            is_good = fail_at(fail, path, 0, 0, "this file is for %s: move it out of folder %s",
                              set->kernels[i].isa->name, isa_family(isa));
    if (!is_good)
        set->n_kernels = before;
    return is_good;
}

// The folder's kernel files, which may be compressed, by their plain names.
static size_t list_files(struct arena *arena, const char *folder, const char ***names) {
    static const char *const endings[] = {".yaml", ".yaml.zst", ".yaml.gz"};
    size_t n = 0;
    *names = NULL;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char **some;
        size_t n_some = file_list(arena, folder, endings[i], &some);
        for (size_t k = 0; k < n_some; k++)
            *ARENA_ADD(arena, *names, n) = compressed_plain_name(arena, some[k]);
    }
    return text_sort(*names, n);
}

static void load_folder_of(struct arena *arena, const char *root, const struct isa *isa, struct kernel_set *set) {
    const char *folder = arena_printf(arena, "%s/%s", root, isa_family(isa));
    const char **names;
    size_t n = list_files(arena, folder, &names);
    if (!names)
        return;
    for (size_t i = 0; i < n; i++) {
        struct fail why = {0};
        if (load_of(arena, arena_printf(arena, "%s/%s", folder, names[i]), isa, set, &why))
            continue;
        *ARENA_ADD(arena, set->refused, set->n_refused) = why;
    }
}

bool kernel_load_folder(struct arena *arena, const char *root, const char *isa, struct kernel_set *set,
                        struct fail *fail) {
    const struct isa *only = isa ? isa_find(isa) : NULL;
    root = root ? root : file_installed(arena, "share/cyclops/kernels");
    if (isa && !only)
        return fail_set(fail, FAIL_INPUT, "%s", isa_unknown(arena, isa));
    size_t before = set->n_kernels + set->n_refused;
    for (const struct isa *const *each = isa_all(); *each; each++)
        if (only ? *each == only : !(*each)->family)
            load_folder_of(arena, root, *each, set);
    if (set->n_kernels + set->n_refused == before)
        return fail_set(fail, FAIL_INPUT, "there is no kernel file in %s/%s", root, only ? isa_family(only) : "*");
    return true;
}

bool kernel_load_installed(struct arena *arena, const char *isa, struct kernel_set *set, struct fail *fail) {
    if (!kernel_load_folder(arena, NULL, isa, set, fail))
        return false;
    if (set->n_refused)
        *fail = set->refused[set->n_refused - 1];
    return set->n_refused == 0;
}

const struct kernel *kernel_find(struct arena *arena, const struct kernel_set *set, const char *name,
                                 struct fail *fail) {
    const char **names = ARENA_ARRAY(arena, const char *, set->n_kernels + 1);
    for (size_t i = 0; i < set->n_kernels; i++) {
        names[i] = set->kernels[i].name;
        if (strcmp(names[i], name) == 0)
            return &set->kernels[i];
    }
    const char *near = text_did_you_mean(arena, name, names, set->n_kernels);
    const struct isa *isa = set->n_kernels ? set->kernels[0].isa : NULL;
    for (size_t i = 0; i < set->n_kernels; i++)
        if (set->kernels[i].isa != isa)
            isa = NULL;
    if (*near)
        fail_set(fail, FAIL_INPUT, "there is no kernel '%s'%s", name, near);
    else
        fail_set(fail, FAIL_INPUT, "there is no kernel '%s'%s%s; 'cyclops list kernels' shows those of each ISA", name,
                 isa ? " for " : "", isa ? isa->name : "");
    return NULL;
}
