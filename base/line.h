// Lines of text from files that users name. As getline, but no input is endless: /dev/zero has no end of line.
#ifndef BASE_LINE_H
#define BASE_LINE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum { LINE_MOST = 1 << 24 }; // characters

// Reads a line with its end into *text, which is allocated and grows; *room: its size. Returns its length; -1 at the
// end of the file (errno 0), and where it cannot be read.
ssize_t line_read(char **text, size_t *room, FILE *in);

// Why the last line was not read: "a line is longer than 16777216 characters"; null: at the end of the file.
const char *line_error(void);

#endif
