#include "base/json_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_quoted(struct text *text, const char *string) {
    bool is_shown;
    text_add(text, "\"");
    for (size_t n; (n = text_character(string, &is_shown)) != 0; string += n) {
        unsigned char c = (unsigned char)*string;
        if (c == '"' || c == '\\')
            text_addf(text, "\\%c", c);
        else if (c == '\n' || c == '\t')
            text_add(text, c == '\n' ? "\\n" : "\\t");
        else if (c < 0x20)
            text_addf(text, "\\u%04x", c);
        else if (n == 1 && c >= 0x80)
            text_add(text, "\ufffd");
        else
            text_append(text, string, n);
    }
    text_add(text, "\"");
}

// Adds what precedes a value: a comma, unless it is the first one, and its key.
static void begin(struct json_text *json, const char *key) {
    const struct text *text = &json->text;
    if (text->length && !strchr("{[", text->data[text->length - 1]))
        text_add(&json->text, ",");
    if (key) {
        add_quoted(&json->text, key);
        text_add(&json->text, ":");
    }
}

void json_open(struct json_text *json, const char *key) {
    begin(json, key);
    text_add(&json->text, "{");
}

void json_close(struct json_text *json) {
    text_add(&json->text, "}");
}

void json_open_list(struct json_text *json, const char *key) {
    begin(json, key);
    text_add(&json->text, "[");
}

void json_close_list(struct json_text *json) {
    text_add(&json->text, "]");
}

void json_put_text(struct json_text *json, const char *key, const char *value) {
    if (value)
        json_put_text_or_null(json, key, value);
}

void json_put_text_or_null(struct json_text *json, const char *key, const char *value) {
    begin(json, key);
    if (value)
        add_quoted(&json->text, value);
    else
        text_add(&json->text, "null");
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

bool json_print_line(FILE *out, const struct json_text *json, struct fail *fail) {
    return (fprintf(out, "%s\n", json->text.data) >= 0 && fflush(out) == 0) ||
           fail_set(fail, FAIL_WORK, "cannot write: %s", strerror(errno));
}
