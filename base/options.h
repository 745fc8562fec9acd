// Command-line options as a table: parsing, checking and help use the same rows, so they cannot differ. As in LLVM's
// tools, one dash or two mean the same ("-mcpu=btver2", "--mcpu btver2"). Options and operands may be mixed; "--" ends
// the options; "-" is an operand.
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum option_type {
    OPTION_HEADING, // not an option: `help` is the title of the rows that follow
    OPTION_FLAG,    // bool: true without an argument; accepts "=true", "=false", "=0", "=1"
    OPTION_ROWS,    // not an option: `value` is a struct option *, a table whose rows belong here
    OPTION_COUNT,   // struct option_count, 0 and up
    OPTION_NUMBER,  // double, above 0
    OPTION_AMOUNT,  // double, 0 and up
    OPTION_TEXT,    // const char *
    OPTION_OUTPUT,  // const char *: a file that is written. Two with one name are refused, and so is "-"
    OPTION_STREAM,  // likewise; "-" is standard output
    OPTION_LIST,    // struct option_list: may be repeated
};

struct option_count {
    unsigned long value;
    bool is_given; // the option was given; otherwise `value` is unchanged
};

struct option_list {
    const char **items;
    size_t n_items;
};

// Null: it is empty.
static inline const char *option_list_first(const struct option_list *list) {
    return list->n_items ? list->items[0] : NULL;
}

struct option {
    enum option_type type;
    const char *name; // without dashes
    // What its argument is, in the help: a placeholder in capitals ("FILE"), or a closed set of words
    // ("unrolled|looped"), or both. Shell completion offers what it states. Null for flags.
    const char *argument;
    const char *help; // one sentence; the help wraps it to 80 columns. Null ends a table
    void *value;      // destination, by type; unchanged where the option is not given
};

// A program or a subcommand, for its help.
struct command {
    const char *name; // name with its program: "cyclops run"
    // "KERNEL…|FILE.s|- [options]". Where it begins with "[options] PROGRAM", options stand in front of the operands
    // only: what follows is the command line of that program.
    const char *usage;
    const char *description;      // paragraphs, printed unchanged
    const char *examples;         // lines, printed unchanged
    const struct option *options; // rows, ended by a row of zeros
};

struct operands {
    const char **items;
    size_t n_items;
};

// Result of parsing: OK; the help was requested and is printed to stdout; or a failure.
enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_BAD };

// Parses a command line whose argv[0] is the subcommand. Fails (FAIL_INPUT) with the wrong word and similar options.
enum options_result options_parse(struct arena *arena, const struct command *command, int argc, char **argv,
                                  struct operands *operands, struct fail *fail);

void options_print_help(const struct command *command, FILE *out);

// From then on, help is given to `take` instead of being printed: the command, with all rows in one table. Null: as
// usual.
void options_give_help(void (*take)(void *context, const struct command *command), void *context);

// Parses "a..b", or "n" for n..n, both at least 1.
bool options_parse_bool(const char *text, bool *value); // true, TRUE, True, 1, false, …; fails at others
bool options_parse_range(const char *text, unsigned *first, unsigned *last, struct fail *fail);

#endif
