// Private to this folder.
// Parts of a CPU file's text that a program writes, between two lines of comments; all around them is people's.
#ifndef INFER_PARTS_H
#define INFER_PARTS_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>

// First line of the part of `cyclops cpu import KIND`.
const char *parts_begin(struct arena *arena, const char *kind);
// The text without the parts of that kind.
const char *parts_without(struct arena *arena, const char *text, const char *kind);
// Puts a part behind the line that begins with `key`, and adds that line where the text has none. "": changes nothing.
const char *parts_with(struct arena *arena, const char *text, const char *key, const char *kind, const char *part);
// Fails where what the key has stands behind it, on its line: nothing can be put below it.
bool parts_can_hold(const char *text, const char *key, struct fail *fail);
// The text without the first line that begins with `start`; the same text where no line does.
const char *parts_without_line(struct arena *arena, const char *text, const char *start);

#endif
