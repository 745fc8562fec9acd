// What a measurement's value may be: its interval with the clock's own error on top. Every report, and whatever tells
// two values apart, asks here. Holds nothing about how the interval came about (verdict.c).
#ifndef BENCH_MEASURED_H
#define BENCH_MEASURED_H

#include "bench/bench.h"

// Cycles per body.
double measured_low(const struct bench_measurement *m);
double measured_high(const struct bench_measurement *m);
double measured_half_width(const struct bench_measurement *m); // behind the ± of reports: the wider half

// Less than this share of the smaller value is no difference worth a word.
#define MEASURED_LEAST_DIFFERENCE 0.01
bool measured_differ(const struct bench_measurement *a, const struct bench_measurement *b);

#endif
