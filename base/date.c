#include "base/date.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

time_t date_now(void) {
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    char *end;
    errno = 0;
    long long seconds = fixed ? strtoll(fixed, &end, 10) : 0;
    bool is_fixed = fixed && *fixed && *end == '\0' && errno == 0 && seconds >= 0;
    return is_fixed ? (time_t)seconds : time(NULL);
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
