// Private to this folder.
// The parts of reading a kernel: its keys (kernel_read.c), its body (kernel_body.c), its roles (kernel_roles.c) and
// its places in memory (kernel_places.c). Inside gen/ only.
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
    struct fy_node **feature_nodes;
    size_t n_features;
};

// Fills in a kernel from its mapping; the kernel's name is set before anything else can fail.
bool kernel_read(struct kernel_file *file, struct fy_node *node, struct kernel *kernel);

// Splits the body into pieces, and finds its roles, lines and number of instructions.
bool kernel_read_body(struct kernel_file *file, struct fy_node *node, struct kernel *kernel);

// Index of a role by its name, by the name of the register that it always is, or (which makes it) as `flags`; a failure
// at `node` with the nearest names if there is none.
bool kernel_role_find(struct kernel_file *file, struct kernel *kernel, struct fy_node *node, const char *name,
                      unsigned *role);

// Index of the role that `name` is in the body, of the class or always the register `class_name`; a failure with the
// text alone if that is neither, or `name` has another class already.
bool kernel_role_add(struct arena *arena, const struct isa *isa, struct kernel *kernel, const char *name,
                     const char *class_name, unsigned *role, struct fail *fail);

// Index of the place of that name; "8" or "16,504" says its bytes and reach. A failure with the text alone where that
// is none, or the place is another one already.
bool kernel_place_add(struct arena *arena, struct kernel *kernel, const char *name, const char *width, unsigned *place,
                      struct fail *fail);

const char *kernel_role_class(const struct kernel_role *role);                     // as after the colon: "zmm", "rax"
bool kernel_role_can_be(const struct kernel_role *a, const struct kernel_role *b); // one and the same register
// Always a register that belongs to the program around the body, other than the buffer's address.
bool kernel_role_is_reserved(const struct isa *isa, const struct kernel_role *role);

// Makes a role of each register that the body uses without naming it.
bool kernel_roles_read_implicit(struct kernel_file *file, struct fy_node *node, struct kernel *kernel);

#endif
