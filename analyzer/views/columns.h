// Private to this folder.
// A line of columns, as LLVM's formatted_raw_ostream lays it out: padding is at least one blank, so that a text too
// wide for its column moves the next one instead of touching it. Tabs go to the next multiple of 8, but take nothing
// where the line already stands on one (llvm/lib/Support/FormattedStream.cpp). Numbers are written by hand: a report is
// mostly numbers, and printf took two thirds of its time.
#ifndef ANALYZER_VIEWS_COLUMNS_H
#define ANALYZER_VIEWS_COLUMNS_H

#include <stdint.h>
#include <stdio.h>

struct columns {
    FILE *out;
    unsigned column; // where the line stands, from 0
};

void columns_add(struct columns *columns, const char *text);
void columns_addf(struct columns *columns, const char *format, ...) __attribute__((format(printf, 2, 3)));
void columns_pad(struct columns *columns, unsigned column);

// To steps of 1 / `steps`, half away from zero, as llvm-mca rounds a value of 0 or more before it prints it.
double columns_rounded(double value, double steps);

// As printf's %-*u, %.1f and %.2f do.
void columns_add_count(struct columns *columns, uint64_t count, unsigned width);
void columns_add_tenths(struct columns *columns, double value);
void columns_add_hundredths(struct columns *columns, double value);

#endif
