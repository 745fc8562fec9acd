// Private to this folder.
// Response files: an argument @FILE stands for the arguments that FILE holds, as in LLVM's and GNU's programs
// (llvm/lib/Support/CommandLine.cpp: expandResponseFiles, TokenizeGNUCommandLine).
#ifndef CLI_MCA_RESPONSE_H
#define CLI_MCA_RESPONSE_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>

// Replaces each @FILE of a command line by the words of that file, which may name other files. An @FILE that does not
// exist stays as it is. Fails where a file cannot be read, or includes itself.
//  - White space separates words, except within quotes of either kind.
//  - A backslash takes the next character literally.
//  - Empty words are ignored.
bool response_expand(struct arena *arena, int *argc, char ***argv, struct fail *fail);

#endif
