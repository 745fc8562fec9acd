// Command-line options as a table: parsing, checking and the help text come from the same rows, so they cannot differ.
// One dash or two are the same ("-mcpu=btver2", "--mcpu btver2"), as in LLVM's tools. Options and operands may be
// mixed; "--" ends the options; "-" is an operand.
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum option_type {
    OPTION_HEADING, // not an option: `help` is the title of the rows that follow
    OPTION_FLAG,    // bool: no argument sets it; "=true", "=false", "=0", "=1" are accepted
    OPTION_ROWS,    // not an option: `value` is a struct option *, a table whose rows stand here
    OPTION_COUNT,   // struct option_count, 0 and up
    OPTION_NUMBER,  // double, above 0
    OPTION_AMOUNT,  // double, 0 and up
    OPTION_TEXT,    // const char *
    OPTION_LIST,    // struct option_list: may be given several times
};

struct option_count {
    unsigned long value;
    bool is_given; // else `value` stays
};

struct option_list {
    const char **items;
    size_t n_items;
};

struct option {
    enum option_type type;
    const char *name;     // without dashes
    const char *argument; // what the help calls its argument; null for flags
    const char *help;     // one sentence; wrapped to 80 columns. Null ends a table
    void *value;          // where it goes, by type; keeps its content when the option is not given
};

// A program or a subcommand, for its help.
struct command {
    const char *name;             // as it is typed: "cyclops run"
    const char *usage;            // "KERNEL…|FILE.s|- [options]"
    const char *description;      // paragraphs; printed as they are
    const char *examples;         // lines; printed as they are
    const struct option *options; // up to a row of zeros
};

struct operands {
    const char **items;
    size_t n_items;
};

// Result of parsing: go on, or the help was asked for and printed to stdout.
enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_BAD };

// argv[0] is the subcommand. Mistakes name the word and the nearest options (FAIL_INPUT).
enum options_result options_parse(struct arena *arena, const struct command *command, int argc, char **argv,
                                  struct operands *operands, struct fail *fail);

void options_print_help(const struct command *command, FILE *out);

// "a..b", or "n" for n..n, both at least 1.
bool options_parse_range(const char *text, unsigned *first, unsigned *last, struct fail *fail);

#endif
