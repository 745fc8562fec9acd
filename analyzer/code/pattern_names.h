// Private to this folder.
// The names that a pattern matches, where it is made of letters, digits, '_', '-', groups, alternatives, sets of
// characters ("[BDW]") and "?" only: so a name is found without a regular expression.
#ifndef ANALYZER_CODE_PATTERN_NAMES_H
#define ANALYZER_CODE_PATTERN_NAMES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct pattern_names;

// Null where the pattern has anything else, or matches too many names. `pattern` is a valid regular expression.
const struct pattern_names *pattern_names_expand(struct arena *arena, const char *pattern);
bool pattern_names_hold(const struct pattern_names *names, const char *name);
size_t pattern_names_list(const struct pattern_names *names, const char *const **items); // returns how many

#endif
