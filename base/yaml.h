// YAML files with the position of every node, on top of libfyaml. Says where a mistake is; knows no format.
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

struct fy_node;

struct yaml {
    struct arena *arena;
    struct fail *fail;
    const char *path;
    const char *data; // the whole file
    struct fy_parser *parser;
    struct fy_document *document;
    struct fy_diag *diag;
};

// Reads and parses. A file that is no YAML, or more than one document, is a failure with its place.
bool yaml_open(struct yaml *yaml, struct arena *arena, const char *path, struct fail *fail);
void yaml_close(struct yaml *yaml); // also after yaml_open failed
struct fy_node *yaml_root(const struct yaml *yaml);

struct yaml_place {
    unsigned line, column; // from 1; column in bytes
};
struct yaml_place yaml_place(struct yaml *yaml, struct fy_node *node);
// Where byte `offset` of a scalar's text stands in the file. Exact for texts of one line and for "|" blocks.
struct yaml_place yaml_place_in(struct yaml *yaml, struct fy_node *node, size_t offset);

// Records a failure at `node` and returns false.
bool yaml_fail(struct yaml *yaml, struct fy_node *node, const char *format, ...) __attribute__((format(printf, 3, 4)));

// A scalar's text in the arena; null where `node` is none, or is empty (as in "key:").
const char *yaml_text(struct yaml *yaml, struct fy_node *node);
bool yaml_number(struct yaml *yaml, struct fy_node *node, double *number);

// A mapping's values by key. `what` names it in messages: "a kernel". Keys that are not in the list are failures.
struct yaml_field {
    const char *key;
    bool required;
    struct fy_node *value; // null: not in the file
};
bool yaml_fields(struct yaml *yaml, struct fy_node *mapping, const char *what, struct yaml_field *fields,
                 size_t n_fields);

bool yaml_is_mapping(struct fy_node *node);
bool yaml_is_sequence(struct fy_node *node);
// One item or pair after the other; start with a null `*iterator`.
struct fy_node *yaml_next_item(struct fy_node *sequence, void **iterator);
bool yaml_next_pair(struct fy_node *mapping, void **iterator, struct fy_node **key, struct fy_node **value);

// The texts of a sequence, or of a lone scalar; null-terminated. `nodes` (may be null) are where they stand.
bool yaml_texts(struct yaml *yaml, struct fy_node *node, const char *what, const char ***texts, struct fy_node ***nodes,
                size_t *n_texts);

#endif
