// Private to this folder.
// The options of `cyclops mca`: names, help, types and destinations of their values. options.c parses the words.
#ifndef CLI_MCA_OPTION_TABLE_H
#define CLI_MCA_OPTION_TABLE_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

enum mca_option_type {
    MCA_HEADING,
    MCA_FLAG,     // bool; a value only after '='
    MCA_UNSIGNED, // unsigned
    MCA_INTEGER,  // int
    MCA_WORD,     // const char *; a value only behind '=', else ""
    MCA_TEXT,     // const char *; the last one counts
    MCA_LIST,     // const char *; several are joined by commas
};

struct mca_option {
    enum mca_option_type type;
    const char *name, *argument, *help; // without dashes; as in struct option
    size_t at;                          // offset of the value in struct mca_args
};

// Number of rows, headings included, and a row by its index from 0.
size_t mca_option_count(void);
const struct mca_option *mca_option_row(size_t row);
// Returns the row of the option `name`; mca_option_count(): there is none.
size_t mca_option_find(const char *name);

// Records the failure that `word`, with the name `name`, is not an option. Returns false.
bool mca_option_unknown(struct arena *arena, const char *word, const char *name, struct fail *fail);

void mca_option_print_help(struct arena *arena);

#endif
