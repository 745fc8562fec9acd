// Private to this folder.
// The parts of reading a kernel: its file (kernel.c), its keys in a file (kernel_read.c) or in memory (kernel_text.c),
// what they mean (kernel_make.c), its body (kernel_body.c), its roles (kernel_roles.c) and its places in memory
// (kernel_places.c). Inside gen/ only.
#ifndef GEN_KERNEL_READ_H
#define GEN_KERNEL_READ_H

#include "base/yaml.h"
#include "gen/kernel.h"

// Keys of a file that hold for all its kernels. Without a file, `yaml` has its arena, failure and path alone.
struct kernel_file {
    struct yaml yaml;
    const struct isa *wanted; // ISA of the file's family to use instead of the file's; null: the file's
    const struct isa *isa;
    const char *syntax;
    const char **features;
    struct fy_node **feature_nodes;
    size_t n_features;
};

// Adds the kernels of one file. Fails with file, line and column at any mistake: an unknown key, class, role or ISA, a
// name used twice. `wanted`: as in struct kernel_file.
bool kernel_read_file(struct arena *arena, const char *path, const struct isa *wanted, struct kernel_set *set,
                      struct fail *fail);

// A word of a kernel's keys, and where it stands in its file.
struct kernel_word {
    const char *text;     // null: the key is missing
    struct fy_node *node; // null: there is no file
};
struct kernel_words {
    struct kernel_word *items;
    size_t n;
};
// A kernel by its keys.
struct kernel_keys {
    struct kernel_word name, about, setup, body;
    struct kernel_words chain, writes, implicit, features, roles, values; // roles and values: of the key init
};

// Fills in a kernel from its mapping. Reads the name first, so that messages have it.
bool kernel_read(struct kernel_file *file, struct fy_node *node, struct kernel *kernel);
// Fills in a kernel from its keys (kernel_make.c).
bool kernel_make(struct kernel_file *file, const struct kernel_keys *keys, struct kernel *kernel);

// Splits the body into pieces, and finds its roles, lines and number of instructions.
bool kernel_read_body(struct kernel_file *file, const struct kernel_word *body, struct kernel *kernel);

// Finds a role by its name, or a fixed role by its register; adds the role `flags` where it is missing. Fails at
// `node`, with similar names.
bool kernel_role_find(struct kernel_file *file, struct kernel *kernel, struct fy_node *node, const char *name,
                      unsigned *role);

// Adds the role `name`, of class `class_name` or always that register, or finds it. Fails, without a place, where
// `class_name` is neither, or the role has another class.
bool kernel_role_add(struct arena *arena, const struct isa *isa, struct kernel *kernel, const char *name,
                     const char *class_name, unsigned *role, struct fail *fail);

// Adds the place `name`, or finds it. `width`: its bytes and reach, "8" or "16,504". Fails, without a place, where
// `width` is wrong, or the place has another one.
bool kernel_place_add(struct arena *arena, struct kernel *kernel, const char *name, const char *width, unsigned *place,
                      struct fail *fail);

const char *kernel_role_class(const struct kernel_role *role);                     // name after the colon: "zmm", "rax"
bool kernel_role_can_be(const struct kernel_role *a, const struct kernel_role *b); // both can be the same register
// Whether the role is always a register that the program around the body needs, other than the buffer's address.
bool kernel_role_is_reserved(const struct isa *isa, const struct kernel_role *role);

// Makes a role of each register that the body uses without naming it.
bool kernel_roles_read_implicit(struct kernel_file *file, const struct kernel_words *words, struct kernel *kernel);

#endif
