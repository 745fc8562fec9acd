// Other machines for tests, as trees of the files that Linux would show there. The test writes them; Cyclops reads them
// below CYCLOPS_FSROOT, hwloc below HWLOC_FSROOT. Set-up and tear-down are cmocka's.
#ifndef BENCH_HOST_FAKE_TREE_H
#define BENCH_HOST_FAKE_TREE_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/host/host.h"

struct tree {
    struct arena arena;
    struct fail fail;
    char root[64]; // folder of the tree
    struct host host;
};

// One file of a tree: its path below the root, and its text without the last newline.
struct tree_file {
    const char *path, *text;
};

int tree_set_up(void **state);
int tree_tear_down(void **state);

const char *tree_path(struct tree *tree, const char *path); // returns the path below the root
void tree_put(struct tree *tree, const char *path, const char *text);
void tree_put_all(struct tree *tree, const struct tree_file *files, size_t count);
#define TREE_PUT_ALL(tree, files) tree_put_all(tree, files, sizeof(files) / sizeof((files)[0]))

// Adds a logical CPU with its core. `siblings`: mask of that core's CPUs, hexadecimal.
void tree_put_cpu(struct tree *tree, unsigned cpu, unsigned core, const char *siblings);
void tree_put_cpus(struct tree *tree, unsigned count); // writes that CPUs 0 to count - 1 are online

const char *tree_first_line(struct tree *tree, const char *path);

#endif
