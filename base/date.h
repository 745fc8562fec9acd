// Dates for files and people: UTC, ISO 8601, to the minute: "2026-11-27T00:17Z". Two of them are in order as strings.
#ifndef BASE_DATE_H
#define BASE_DATE_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <time.h>

// Returns the clock's time: when something real is measured.
time_t date_now(void);
// Returns the time to write where nothing real is measured, as of a simulated CPU: now; or that of the variable
// SOURCE_DATE_EPOCH, seconds since 1970, so that output can be repeated
// (https://reproducible-builds.org/specs/source-date-epoch). Shells for packaging set it, so a measurement of this
// machine never takes it.
time_t date_of_output(void);
// Fails (FAIL_INPUT) where SOURCE_DATE_EPOCH is set, not empty, and not such a number.
bool date_check(struct fail *fail);

const char *date_text(struct arena *arena, time_t time);

// When something was measured: from the first date to the last. Zeroed: never.
struct date_range {
    const char *first, *last; // null: none
    bool begins_before;       // a part of it has no date, so it may have begun before `first`
};

// Extends the range by a date; null: a part without one.
void date_range_add(struct arena *arena, struct date_range *range, const char *date);
// Returns "2026-11-27T00:17Z to 2026-11-27T00:26Z", the date where there is only one, or "up to DATE"; null: no date.
const char *date_range_text(struct arena *arena, const struct date_range *range);
// The same for people: "not recorded" where there is no date.
const char *date_range_said(struct arena *arena, const struct date_range *range);

#endif
