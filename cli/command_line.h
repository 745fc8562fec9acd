// This process's command line as text, for a command that the reader may type next.
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include "base/options.h"
#include "base/text.h"

// The words behind the program's name, ended by null: set once, by the commands that want them.
extern char *const *command_line_words;

// Adds the words but these operands (null: keeps all), and but options of these names, which null ends. Options that
// take no argument are those of `flags`, likewise.
void command_line_add(struct text *text, const struct operands *operands, const char *const *options,
                      const char *const *flags);

#endif
