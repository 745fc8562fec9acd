// The report of a check as one HTML file: findings by cause, and every instruction with its values. It needs no
// network. The page is pages/report.html, into which the data is written.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/arena.h"
#include "base/fail.h"
#include "check/check.h"

// Returns the page. Fails where the installed page cannot be read, or has no place for the data.
const char *page_make(struct arena *arena, const struct check_report *report, struct fail *fail);

#endif
