#include "analyzer/views/columns.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>

enum { TAB = 8, LONGEST_CELL = 512 };

// One thread prints to a stream: it need not be locked for each character.
void columns_add(struct columns *columns, const char *text) {
    for (const char *c = text; *c; c++) {
        putc_unlocked(*c, columns->out);
        if (*c == '\n')
            columns->column = 0;
        else if (*c == '\t')
            columns->column += (TAB - columns->column % TAB) % TAB;
        else
            columns->column += (*c & 0xC0) != 0x80; // not the further bytes of a character
    }
}

void columns_addf(struct columns *columns, const char *format, ...) {
    char text[LONGEST_CELL];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    columns_add(columns, text);
}

static void add_blanks(struct columns *columns, unsigned blanks) {
    columns->column += blanks;
    while (blanks-- > 0)
        putc_unlocked(' ', columns->out);
}

void columns_pad(struct columns *columns, unsigned column) {
    add_blanks(columns, column > columns->column ? column - columns->column : 1);
}

enum { ROOM = 32 }; // for the digits of 2^64, and more

// Writes the digits before `end`, at least so many; returns the first.
static char *write_digits(char *end, uint64_t number, unsigned at_least) {
    for (; number != 0 || at_least != 0; number /= 10, at_least -= at_least != 0)
        *--end = (char)('0' + number % 10);
    return end;
}

double columns_rounded(double value, double steps) {
    return floor(value * steps + 0.5) / steps;
}

void columns_add_count(struct columns *columns, uint64_t count, unsigned width) {
    char text[ROOM] = "", *const end = text + ROOM - 1;
    unsigned before = columns->column;
    columns_add(columns, write_digits(end, count, 1));
    unsigned length = columns->column - before;
    add_blanks(columns, width > length ? width - length : 0);
}

// False where printf must say: it rounds the exact binary value, which is not known here next to half a step.
static bool add_steps(struct columns *columns, double value, unsigned decimals, double steps) {
    double scaled = value * steps, whole = floor(scaled), rest = scaled - whole;
    if (!(value >= 0 && scaled < 1e9) || fabs(rest - 0.5) < 1e-6)
        return false;
    char text[ROOM] = "", *end = text + ROOM - 1;
    uint64_t number = (uint64_t)whole + (rest > 0.5), divisor = (uint64_t)steps;
    end = write_digits(end, number % divisor, decimals);
    *--end = '.';
    columns_add(columns, write_digits(end, number / divisor, 1));
    return true;
}

void columns_add_tenths(struct columns *columns, double value) {
    if (!add_steps(columns, value, 1, 10))
        columns_addf(columns, "%.1f", value);
}

void columns_add_hundredths(struct columns *columns, double value) {
    if (!add_steps(columns, value, 2, 100))
        columns_addf(columns, "%.2f", value);
}
