// A regular expression of a file on LLVM's name of an opcode, which it must match as a whole.
#ifndef ANALYZER_CODE_OPCODE_PATTERN_H
#define ANALYZER_CODE_OPCODE_PATTERN_H

#include "base/arena.h"
#include "base/index.h"

#include <regex.h>
#include <stdbool.h>

struct opcode_pattern {
    const char *text; // null: not compiled
    regex_t compiled;
    const struct pattern_names *names; // those that it matches, where these are few; null: the expression decides
};

// Returns null, and the pattern is the caller's to free; or what is wrong with the text, a sentence. A file is not
// trusted: expressions that glibc takes memory or time without limit for are refused.
const char *opcode_pattern_compile(struct arena *arena, const char *text, struct opcode_pattern *pattern);
void opcode_pattern_free(struct opcode_pattern *pattern); // also of one that is not compiled

bool opcode_pattern_matches(const struct opcode_pattern *pattern, const char *name);
// The names that it matches, where these are few; 0: the expression decides.
size_t opcode_pattern_names(const struct opcode_pattern *pattern, const char *const **names);
// Whether it matches one of the names. `places`: their numbers by their hashes. A pattern has few names, and an LLVM
// tens of thousands of opcodes.
bool opcode_pattern_matches_any(const struct opcode_pattern *pattern, const char *const *names, size_t n,
                                const struct index *places);

// Whether a name is one of them. `places`: as above.
bool opcode_is_in(const struct index *places, const char *const *names, const char *name);
// Their numbers by their hashes.
struct index opcode_places(struct arena *arena, const char *const *names, size_t n);

#endif
