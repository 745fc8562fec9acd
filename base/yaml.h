// YAML files with the position of every node, on top of libfyaml. Reports where a mistake is. Does not know any format.
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
    const char *data;   // the whole file
    const char **lines; // starts of its lines; the last one may be empty
    size_t n_lines;
    struct fy_parser *parser;
    struct fy_document *document;
    struct fy_diag *diag;
    void *last_report; // libfyaml's place of the last one of `diag` that was looked at; null: none
};

// Reads and parses a file. Fails with a place where it is not YAML, or has more than one document.
bool yaml_open(struct yaml *yaml, struct arena *arena, const char *path, struct fail *fail);
// The same with a text; `path` is its name in messages.
bool yaml_open_text(struct yaml *yaml, struct arena *arena, const char *path, const char *text, struct fail *fail);
void yaml_close(struct yaml *yaml); // needed even where yaml_open failed
struct fy_node *yaml_root(const struct yaml *yaml);

struct yaml_place {
    unsigned line, column; // from 1; column in bytes
};
struct yaml_place yaml_place(struct yaml *yaml, struct fy_node *node);
// Returns the place in the file of byte `offset` of a scalar's text. Exact for texts of one line and for "|" blocks.
struct yaml_place yaml_place_in(struct yaml *yaml, struct fy_node *node, size_t offset);

// Records a failure at `node` and returns false.
bool yaml_fail(struct yaml *yaml, struct fy_node *node, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Returns a scalar's text in the arena; null: `node` is not a scalar, or is empty (as in "key:").
const char *yaml_text(struct yaml *yaml, struct fy_node *node);
bool yaml_number(struct yaml *yaml, struct fy_node *node, double *number);

// A key of a mapping. yaml_fields finds the values of all fields; `what` is the mapping's name in messages: "a kernel".
// Fails at keys that are not in the list, and where a required one is missing.
struct yaml_field {
    const char *key;
    bool required;
    struct fy_node *value; // value of the key; null: not in the file
};
bool yaml_fields(struct yaml *yaml, struct fy_node *mapping, const char *what, struct yaml_field *fields,
                 size_t n_fields);

bool yaml_is_mapping(struct fy_node *node);
bool yaml_is_sequence(struct fy_node *node);
// Return the next item or pair; the caller starts with a null `*iterator`. At the end they return null or false.
struct fy_node *yaml_next_item(struct fy_node *sequence, void **iterator);
bool yaml_next_pair(struct fy_node *mapping, void **iterator, struct fy_node **key, struct fy_node **value);

// Sets the texts of a sequence or of a single scalar, null-terminated, and their nodes (`nodes` may be null).
bool yaml_texts(struct yaml *yaml, struct fy_node *node, const char *what, const char ***texts, struct fy_node ***nodes,
                size_t *n_texts);

#endif
