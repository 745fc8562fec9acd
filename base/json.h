// Additions to jansson that the formats of this project need. Callers use jansson's own functions (json_pack,
// json_object_get, …) for everything else.
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/fail.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Returns a real with at most `decimals` digits after the point, so that it prints as 4.41, not 4.4100000000000001.
json_t *json_rounded(double value, int decimals);

// Writes `value` on one line, with keys in the order in which they were set, and releases it. Fails where it cannot be
// written.
bool json_write_line(FILE *out, json_t *value, struct fail *fail);

// Parses the text of line `line` of `file`. Fails (null) with the column where it is not JSON.
json_t *json_parse_line(const char *text, size_t length, const char *file, unsigned line, struct fail *fail);

// Read a member of `object` by name and type. Without such a member, the value stays unchanged; so it does for a string
// that is null. A member of another type is a failure.
bool json_get_number(const json_t *object, const char *key, double *value, struct fail *fail);
bool json_get_count(const json_t *object, const char *key, unsigned long *value, struct fail *fail);
bool json_get_string(struct arena *arena, const json_t *object, const char *key, const char **value, struct fail *fail);

#endif
