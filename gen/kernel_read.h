// The two halves of reading a kernel: its keys (kernel_read.c) and its body (kernel_body.c). Inside gen/ only.
#ifndef GEN_KERNEL_READ_H
#define GEN_KERNEL_READ_H

#include "base/yaml.h"
#include "gen/kernel.h"

// What a file says of all its kernels.
struct kernel_file {
    struct yaml yaml;
    const struct isa *wanted; // of its family, instead of the one the file names; null: that one
    const struct isa *isa;
    const char *syntax;
    const char **features;
    size_t n_features;
};

// Fills in a kernel from its mapping; the kernel's name is set before anything else can fail.
bool kernel_read(struct kernel_file *file, struct fy_node *node, struct kernel *kernel);

// Splits the body into pieces, and finds its roles, lines and number of instructions.
bool kernel_read_body(struct kernel_file *file, struct fy_node *node, struct kernel *kernel);

// Index of a role; a failure at `node` with the nearest names if there is none of that name.
bool kernel_role_find(struct kernel_file *file, const struct kernel *kernel, struct fy_node *node, const char *name,
                      unsigned *role);

#endif
