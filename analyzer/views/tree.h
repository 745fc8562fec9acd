// JSON as LLVM prints it: two blanks a level, "[]" for an empty list, 17 digits for a real that needs them and none for
// one that is whole. Members are printed in the order they come; llvm-mca's are sorted by name.
#ifndef ANALYZER_VIEWS_TREE_H
#define ANALYZER_VIEWS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Zero it and set `out`.
struct tree {
    FILE *out;
    unsigned depth;
    bool has_members; // of the list or object that is open
};

// `key`: null for the elements of a list and for the whole.
void tree_open(struct tree *tree, const char *key, char bracket);
void tree_close(struct tree *tree, char bracket);
void tree_count(struct tree *tree, const char *key, int64_t value);
void tree_real(struct tree *tree, const char *key, double value);
void tree_bool(struct tree *tree, const char *key, bool value);
void tree_text(struct tree *tree, const char *key, const char *value);
void tree_bytes(struct tree *tree, const char *key, const char *bytes, size_t length); // a text that may hold zeros

#endif
