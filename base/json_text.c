#include "base/json_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_quoted(struct text *text, const char *string, size_t length) {
    bool is_shown;
    text_add(text, "\"");
    for (const char *end = string + length; string < end;) {
        unsigned char c = (unsigned char)*string;
        size_t n = c ? text_character(string, &is_shown) : 1;
        if (c == '"' || c == '\\')
            text_addf(text, "\\%c", c);
        else if (c == '\t' || c == '\n' || c == '\r')
            text_add(text, c == '\t' ? "\\t" : c == '\n' ? "\\n" : "\\r");
        else if (c < 0x20)
            text_addf(text, "\\u%04x", c);
        else if (n == 1 && c >= 0x80)
            text_add(text, "\ufffd");
        else
            text_append(text, string, n);
        string += n;
    }
    text_add(text, "\"");
}

static bool is_at_start(const struct text *text) {
    return text->length == 0 || strchr("{[", text->data[text->length - 1]);
}

static void begin_line(struct json_text *json) {
    if (json->has_lines)
        text_addf(&json->text, "\n%*s", 2 * (int)json->depth, "");
}

// Adds what precedes a value: a comma, unless it is the first one, and its key.
static void begin(struct json_text *json, const char *key) {
    if (!is_at_start(&json->text))
        text_add(&json->text, ",");
    if (json->depth)
        begin_line(json);
    if (key) {
        add_quoted(&json->text, key, strlen(key));
        text_add(&json->text, json->has_lines ? ": " : ":");
    }
}

static void open_with(struct json_text *json, const char *key, const char *bracket) {
    begin(json, key);
    text_add(&json->text, bracket);
    json->depth++;
}

static void close_with(struct json_text *json, const char *bracket) {
    json->depth--;
    if (!is_at_start(&json->text))
        begin_line(json);
    text_add(&json->text, bracket);
}

void json_open(struct json_text *json, const char *key) {
    open_with(json, key, "{");
}

void json_close(struct json_text *json) {
    close_with(json, "}");
}

void json_open_list(struct json_text *json, const char *key) {
    open_with(json, key, "[");
}

void json_close_list(struct json_text *json) {
    close_with(json, "]");
}

void json_put_text(struct json_text *json, const char *key, const char *value) {
    if (value)
        json_put_text_or_null(json, key, value);
}

void json_put_text_or_null(struct json_text *json, const char *key, const char *value) {
    if (value) {
        json_put_bytes(json, key, value, strlen(value));
    } else {
        begin(json, key);
        text_add(&json->text, "null");
    }
}

void json_put_bytes(struct json_text *json, const char *key, const char *bytes, size_t length) {
    begin(json, key);
    add_quoted(&json->text, bytes, length);
}

void json_put_json(struct json_text *json, const char *key, const char *value) {
    begin(json, key);
    text_add(&json->text, value);
}

void json_put_integer(struct json_text *json, const char *key, int64_t value) {
    begin(json, key);
    text_addf(&json->text, "%" PRId64, value);
}

void json_put_bool(struct json_text *json, const char *key, bool value) {
    begin(json, key);
    text_add(&json->text, value ? "true" : "false");
}

void json_put_real(struct json_text *json, const char *key, double value, int decimals) {
    struct text *text = &json->text;
    begin(json, key);
    if (!isfinite(value))
        value = 0;
    text_addf(text, "%.*f", decimals > 0 ? decimals : 1, decimals > 0 ? value : round(value));
    while (text->data[text->length - 1] == '0' && text->data[text->length - 2] != '.')
        text->data[--text->length] = '\0';
}

void json_put_exact(struct json_text *json, const char *key, double value) {
    begin(json, key);
    text_addf(&json->text, "%.17g", value);
}

bool json_print_line(FILE *out, const struct json_text *json, struct fail *fail) {
    return (fprintf(out, "%s\n", json->text.data) >= 0 && fflush(out) == 0) ||
           fail_set(fail, FAIL_INPUT, "cannot write: %s", strerror(errno));
}

void json_put_dates(struct json_text *json, const char *key, const struct date_range *range) {
    if (!range->last)
        return;
    json_open(json, key);
    json_put_text(json, "first", range->begins_before ? NULL : range->first);
    json_put_text(json, "last", range->last);
    json_close(json);
}
