// Private to this folder.
// The names that a pattern matches, where it is made of letters, digits, groups, alternatives, sets of characters
// ("[BDW]") and "?" only: so a name is found without a regular expression.
#ifndef ANALYZER_CPU_NAMES_H
#define ANALYZER_CPU_NAMES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct cpu_names;

// Null where the pattern has anything else, or matches too many names. `pattern` is a valid regular expression.
const struct cpu_names *names_expand(struct arena *arena, const char *pattern);
bool names_hold(const struct cpu_names *names, const char *name);
size_t names_list(const struct cpu_names *names, const char *const **items); // returns how many

#endif
