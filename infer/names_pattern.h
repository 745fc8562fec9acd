// Private to this folder.
// One regular expression for several names: what they share is written once. It matches these names and no other, and
// is made of letters, groups, alternatives, sets of characters and "?" alone.
#ifndef INFER_NAMES_PATTERN_H
#define INFER_NAMES_PATTERN_H

#include "base/arena.h"

#include <stddef.h>

// `names`: sorted, each once, of letters, digits and "_"; at least one.
const char *names_pattern(struct arena *arena, const char *const *names, size_t n);

#endif
