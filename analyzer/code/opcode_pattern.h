// A regular expression of a file on LLVM's name of an opcode, which it must match as a whole.
#ifndef ANALYZER_CODE_OPCODE_PATTERN_H
#define ANALYZER_CODE_OPCODE_PATTERN_H

#include "base/arena.h"

#include <regex.h>

// Returns null, and `compiled` is the caller's to free; or what is wrong with the text, a sentence. A file is not
// trusted: expressions that glibc takes memory or time without limit for are refused.
const char *opcode_pattern_compile(struct arena *arena, const char *text, regex_t *compiled);

#endif
