#include "analyzer/views/columns.h"

#include <stdarg.h>

enum { TAB = 8, LONGEST_CELL = 512 };

void columns_add(struct columns *columns, const char *text) {
    fputs(text, columns->out);
    for (const char *c = text; *c; c++) {
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

void columns_pad(struct columns *columns, unsigned column) {
    unsigned blanks = column > columns->column ? column - columns->column : 1;
    fprintf(columns->out, "%*s", (int)blanks, "");
    columns->column += blanks;
}
