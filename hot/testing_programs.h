// Small programs for tests, compiled with gcc into a folder of their own.
#ifndef HOT_TESTING_PROGRAMS_H
#define HOT_TESTING_PROGRAMS_H

#include "base/arena.h"

extern struct arena testing_programs_arena;

// For groups of cmocka's: makes the folder, removes it with what is in it.
int testing_programs_open(void **state);
int testing_programs_close(void **state);

// Returns the path of a file of the folder.
const char *testing_path(const char *name);
// Writes a text into a file of the folder. Returns its path.
const char *testing_write(const char *name, const char *text);
// Compiles file `source` of the folder, with flags that are separated by blanks. Returns the program's path.
const char *testing_compile(const char *name, const char *source, const char *flags);
// Runs a command of words that are separated by blanks; it must succeed.
void testing_command(const char *command);

#endif
