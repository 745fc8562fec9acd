// Private to this folder.
// A small instruction table for tests: what a survey may find, and what it must not upset.
#ifndef REPORT_TESTING_TABLE_H
#define REPORT_TESTING_TABLE_H

#include "survey/table/table.h"

// A value with an interval of 0.01 to both sides, of kernel "k" and `bytes`.
struct table_value testing_value(double cycles, const char *bytes);

// Two models and seven forms: ADD64rr, all agree; CRC "quoted, form", two latencies and a partner; DIV64r, unstable,
// three latencies; LEAnan, not finite; NOOP, only a throughput; VADDPSYrm, a bound; XSAVE, left out.
extern const struct survey_table testing_table;

#endif
