#include "base/json.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_rounded(double value, int decimals) {
    assert(isfinite(value)); // JSON has finite numbers only
    char text[DBL_MAX_10_EXP + 32];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    return json_real(strtod(text, NULL));
}

// 15 significant digits reproduce every rounded value (IEEE 754: DBL_DIG).
bool json_write_line(FILE *out, json_t *value, struct fail *fail) {
    char *line = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(value);
    if (!line)
        return fail_set(fail, FAIL_WORK, "cannot write a value as JSON");
    bool is_written = fprintf(out, "%s\n", line) >= 0 && fflush(out) == 0;
    int error = errno;
    free(line);
    return is_written || fail_set(fail, FAIL_INPUT, "cannot write: %s", strerror(error));
}

json_t *json_parse_line(const char *text, size_t length, const char *file, unsigned line, struct fail *fail) {
    json_error_t error;
    json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!value)
        fail_at(fail, file, line, error.column > 0 ? (unsigned)error.column : 1, "not JSON: %s", error.text);
    return value;
}

bool json_get_number(const json_t *object, const char *key, double *value, struct fail *fail) {
    const json_t *member = json_object_get(object, key);
    if (!member)
        return true;
    if (!json_is_number(member))
        return fail_set(fail, FAIL_INPUT, "'%s' must be a number", key);
    *value = json_number_value(member);
    return true;
}

bool json_get_count(const json_t *object, const char *key, unsigned long *value, struct fail *fail) {
    const json_t *member = json_object_get(object, key);
    if (!member)
        return true;
    if (!json_is_integer(member) || json_integer_value(member) < 0)
        return fail_set(fail, FAIL_INPUT, "'%s' must be a whole number, 0 or more", key);
    *value = (unsigned long)json_integer_value(member);
    return true;
}

bool json_get_string(struct arena *arena, const json_t *object, const char *key, const char **value,
                     struct fail *fail) {
    const json_t *member = json_object_get(object, key);
    if (!member || json_is_null(member))
        return true;
    if (!json_is_string(member))
        return fail_set(fail, FAIL_INPUT, "'%s' must be a string", key);
    *value = arena_strdup(arena, json_string_value(member));
    return true;
}
