#include "bench/host/fake_tree.h"

#include "base/file.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

int tree_set_up(void **state) {
    struct tree *tree = test_calloc(1, sizeof *tree);
    strcpy(tree->root, "/tmp/cyclops-host-XXXXXX");
    assert_non_null(mkdtemp(tree->root));
    setenv("CYCLOPS_FSROOT", tree->root, 1);
    setenv("HWLOC_FSROOT", tree->root, 1);
    setenv("HWLOC_COMPONENTS", "linux,stop", 1); // without the x86 component, which asks the real CPU
    setenv("HWLOC_DUMPED_HWDATA_DIR", tree->root, 1);
    *state = tree;
    return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

int tree_tear_down(void **state) {
    struct tree *tree = *state;
    nftw(tree->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    arena_free(&tree->arena);
    test_free(tree);
    unsetenv("CYCLOPS_FSROOT");
    unsetenv("HWLOC_FSROOT");
    unsetenv("HWLOC_COMPONENTS");
    unsetenv("HWLOC_DUMPED_HWDATA_DIR");
    return 0;
}

const char *tree_path(struct tree *tree, const char *path) {
    return arena_printf(&tree->arena, "%s%s", tree->root, path);
}

void tree_put(struct tree *tree, const char *path, const char *text) {
    char *full = arena_strdup(&tree->arena, tree_path(tree, path));
    for (char *slash = strchr(full + strlen(tree->root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(full, 0700);
        *slash = '/';
    }
    const char *line = arena_printf(&tree->arena, "%s\n", text);
    assert_true(file_write(full, line, strlen(line), &tree->fail));
}

void tree_put_all(struct tree *tree, const struct tree_file *files, size_t count) {
    for (size_t i = 0; i < count; i++)
        tree_put(tree, files[i].path, files[i].text);
}

void tree_put_cpu(struct tree *tree, unsigned cpu, unsigned core, const char *siblings) {
    const char *folder = arena_printf(&tree->arena, "/sys/devices/system/cpu/cpu%u/topology", cpu);
    tree_put(tree, arena_printf(&tree->arena, "%s/core_id", folder), arena_printf(&tree->arena, "%u", core));
    tree_put(tree, arena_printf(&tree->arena, "%s/physical_package_id", folder), "0");
    tree_put(tree, arena_printf(&tree->arena, "%s/core_cpus", folder), siblings);
    tree_put(tree, arena_printf(&tree->arena, "%s/thread_siblings", folder), siblings);
    tree_put(tree, arena_printf(&tree->arena, "%s/package_cpus", folder), "ff");
    tree_put(tree, arena_printf(&tree->arena, "%s/core_siblings", folder), "ff");
}

void tree_put_cpus(struct tree *tree, unsigned count) {
    const char *list = count > 1 ? arena_printf(&tree->arena, "0-%u", count - 1) : "0";
    tree_put(tree, "/sys/devices/system/cpu/online", list);
    tree_put(tree, "/sys/devices/system/cpu/possible", list);
    tree_put(tree, "/sys/devices/system/cpu/present", list);
}

const char *tree_first_line(struct tree *tree, const char *path) {
    return file_first_line(&tree->arena, tree_path(tree, path));
}
