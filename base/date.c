#include "base/date.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "SOURCE_DATE_EPOCH";

// Reads the variable: 0 where it is not set, or empty. Returns false where it is not a time.
static bool read_variable(time_t *time) {
    const char *fixed = getenv(variable);
    struct tm parts;
    char *end;
    *time = 0;
    if (!fixed || !*fixed)
        return true;
    errno = 0;
    long long seconds = strtoll(fixed, &end, 10);
    *time = (time_t)seconds;
    return isdigit((unsigned char)*fixed) && *end == '\0' && errno == 0 && gmtime_r(time, &parts);
}

time_t date_now(void) {
    return time(NULL);
}

time_t date_of_output(void) {
    const char *fixed = getenv(variable);
    time_t time;
    return fixed && *fixed && read_variable(&time) ? time : date_now();
}

bool date_check(struct fail *fail) {
    time_t time;
    return read_variable(&time) || fail_set(fail, FAIL_INPUT,
                                            "%s is '%s', which is not a number of seconds since 1970: correct it, or "
                                            "unset it",
                                            variable, getenv(variable));
}

const char *date_text(struct arena *arena, time_t time) {
    char text[sizeof "9999999999-12-31T23:59Z"];
    struct tm parts;
    if (!gmtime_r(&time, &parts) || strftime(text, sizeof text, "%Y-%m-%dT%H:%MZ", &parts) == 0)
        return "unknown"; // a year beyond all calendars
    return arena_strdup(arena, text);
}

void date_range_add(struct arena *arena, struct date_range *range, const char *date) {
    if (!date) {
        range->begins_before = true;
        return;
    }
    if (!range->first || strcmp(date, range->first) < 0)
        range->first = arena_strdup(arena, date);
    if (!range->last || strcmp(date, range->last) > 0)
        range->last = arena_strdup(arena, date);
}

const char *date_range_text(struct arena *arena, const struct date_range *range) {
    if (!range->last)
        return NULL;
    if (range->begins_before)
        return arena_printf(arena, "up to %s", range->last);
    return strcmp(range->first, range->last) == 0 ? range->first
                                                  : arena_printf(arena, "%s to %s", range->first, range->last);
}

const char *date_range_said(struct arena *arena, const struct date_range *range) {
    const char *text = date_range_text(arena, range);
    return text ? text : "not recorded";
}
