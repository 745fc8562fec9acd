// Writes JSON as a growing text: one line, or the layout of LLVM. Needs only libc, so that runners can use it, too;
// json.h, on top of jansson, reads. Members have the order of the calls.
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include "base/date.h"
#include "base/fail.h"
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>

// The caller zeroes it and sets `text.arena`.
struct json_text {
    struct text text;
    bool has_lines; // LLVM's layout: a line for each value, two blanks a level, "[]" for an empty list
    unsigned depth; // number of open objects and lists
};

// Open and close an object or a list. `key`: key of a member of an object; null: an item of a list, or the whole.
void json_open(struct json_text *json, const char *key);
void json_close(struct json_text *json);
void json_open_list(struct json_text *json, const char *key);
void json_close_list(struct json_text *json);

// Add a value; `key` as above. Each byte that is not UTF-8 becomes U+FFFD.
void json_put_text(struct json_text *json, const char *key, const char *value); // does nothing where `value` is null
void json_put_text_or_null(struct json_text *json, const char *key, const char *value);
// Adds {"first": …, "last": …} where a date is known; "last" alone where it may have begun before.
void json_put_dates(struct json_text *json, const char *key, const struct date_range *range);
// `bytes` may hold zeros; a further zero follows them.
void json_put_bytes(struct json_text *json, const char *key, const char *bytes, size_t length);
void json_put_integer(struct json_text *json, const char *key, int64_t value);
void json_put_bool(struct json_text *json, const char *key, bool value);
// Adds a real with at most `decimals` digits after the point, and at least one: 4.41, 4.0. Writes 0 for infinity, which
// JSON does not have.
void json_put_real(struct json_text *json, const char *key, double value, int decimals);
// With as many digits as it needs, at most 17: 2, 0.10000000000000001.
void json_put_exact(struct json_text *json, const char *key, double value);

// Adds a value that is JSON itself, on one line.
void json_put_json(struct json_text *json, const char *key, const char *value);

// Prints everything as one line. Fails where it cannot be written.
bool json_print_line(FILE *out, const struct json_text *json, struct fail *fail);

#endif
