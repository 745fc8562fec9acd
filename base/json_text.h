// Writing JSON, as one line of text that grows. Needs nothing but libc, so that programs for other machines have it as
// well; json.h, on top of jansson, reads. Members come out in the order of the calls.
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include "base/fail.h"
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>

// Zero it and set `text.arena`.
struct json_text {
    struct text text;
};

// An object or a list, until it is closed. `key`: of the member of an object; null: an item of a list, or the whole.
void json_open(struct json_text *json, const char *key);
void json_close(struct json_text *json);
void json_open_list(struct json_text *json, const char *key);
void json_close_list(struct json_text *json);

// `key` as above. Text that is not UTF-8 is written with U+FFFD for each wrong byte.
void json_put_text(struct json_text *json, const char *key, const char *value); // nothing where `value` is null
void json_put_text_or_null(struct json_text *json, const char *key, const char *value);
void json_put_integer(struct json_text *json, const char *key, int64_t value);
void json_put_bool(struct json_text *json, const char *key, bool value);
// With at most `decimals` digits behind the point, and at least one: 4.41, 4.0. JSON has no infinity: it is written as
// 0.
void json_put_real(struct json_text *json, const char *key, double value, int decimals);

// Prints the whole as a line.
bool json_print_line(FILE *out, const struct json_text *json, struct fail *fail);

#endif
