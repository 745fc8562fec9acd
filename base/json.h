// JSON on top of jansson: what the formats of this project need and jansson leaves to its user.
// jansson's own calls (json_pack, json_object_get, …) are used directly for everything else.
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/fail.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// A real with at most `decimals` digits behind the point, so that a line reads 4.41 and not 4.4100000000000001.
json_t *json_rounded(double value, int decimals);

// Writes `value` on one line, keys in the order they were set, and releases it. False when the write fails.
bool json_write_line(FILE *out, json_t *value, struct fail *fail);

// Parses the line `text`, which is line number `line` of `file`; null (and a failure with column) if it is not JSON.
json_t *json_parse_line(const char *text, size_t length, const char *file, unsigned line, struct fail *fail);

// Members of `object` by name and type. A missing member gives the fallback; one of another type is a failure.
bool json_get_number(const json_t *object, const char *key, double *value, struct fail *fail);
bool json_get_count(const json_t *object, const char *key, unsigned long *value, struct fail *fail);
bool json_get_string(struct arena *arena, const json_t *object, const char *key, const char **value, struct fail *fail);

#endif
