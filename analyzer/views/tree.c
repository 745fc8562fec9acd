#include "analyzer/views/tree.h"

#include <inttypes.h>
#include <string.h>

static void print_text(FILE *out, const char *text, size_t length) {
    fputc('"', out);
    const unsigned char *end = (const unsigned char *)text + length;
    for (const unsigned char *c = (const unsigned char *)text; c < end; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c == '\t' || *c == '\n' || *c == '\r')
            fputs(*c == '\t' ? "\\t" : *c == '\n' ? "\\n" : "\\r", out);
        else if (*c < ' ')
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

static void new_line(const struct tree *tree) {
    fprintf(tree->out, "\n%*s", 2 * (int)tree->depth, "");
}

static void begin(struct tree *tree, const char *key) {
    if (tree->has_members)
        fputc(',', tree->out);
    if (tree->depth != 0)
        new_line(tree);
    tree->has_members = true;
    if (key) {
        print_text(tree->out, key, strlen(key));
        fputs(": ", tree->out);
    }
}

void tree_open(struct tree *tree, const char *key, char bracket) {
    begin(tree, key);
    fputc(bracket, tree->out);
    tree->depth++;
    tree->has_members = false;
}

void tree_close(struct tree *tree, char bracket) {
    tree->depth--;
    if (tree->has_members)
        new_line(tree);
    fputc(bracket, tree->out);
    tree->has_members = true;
}

void tree_count(struct tree *tree, const char *key, int64_t value) {
    begin(tree, key);
    fprintf(tree->out, "%" PRId64, value);
}

void tree_real(struct tree *tree, const char *key, double value) {
    begin(tree, key);
    fprintf(tree->out, "%.17g", value);
}

void tree_bool(struct tree *tree, const char *key, bool value) {
    begin(tree, key);
    fputs(value ? "true" : "false", tree->out);
}

void tree_text(struct tree *tree, const char *key, const char *value) {
    tree_bytes(tree, key, value, strlen(value));
}

void tree_bytes(struct tree *tree, const char *key, const char *bytes, size_t length) {
    begin(tree, key);
    print_text(tree->out, bytes, length);
}
