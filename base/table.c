#include "base/table.h"

#include "base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

void table_column(struct table *table, enum table_align align, const char *title) {
    assert(table->n_columns < TABLE_MAX_COLUMNS && table->n_cells == 0);
    table->columns[table->n_columns++] = (struct table_column){title, align, text_width(title)};
}

static void add_cell(struct table *table, enum table_colour colour, const char *text) {
    assert(table->n_columns > 0);
    struct table_column *column = &table->columns[table->n_cells % table->n_columns];
    size_t width = text_width(text);
    if (width > column->width)
        column->width = width;
    table->cells = arena_grow(table->arena, table->cells, table->n_cells, sizeof *table->cells);
    table->cells[table->n_cells++] = (struct table_cell){text, colour};
}

void table_cell(struct table *table, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_cell(table, TABLE_PLAIN, arena_vprintf(table->arena, format, args));
    va_end(args);
}

void table_cell_colour(struct table *table, enum table_colour colour, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_cell(table, colour, arena_vprintf(table->arena, format, args));
    va_end(args);
}

// Blanks are held back until something follows them, so no line ends in blanks.
static size_t print_cell(FILE *out, const struct table_column *column, const char *text, const char *escape,
                         size_t blanks) {
    size_t width = text_width(text);
    size_t padding = column->width > width ? column->width - width : 0;
    blanks += 2;
    if (column->align == TABLE_RIGHT)
        blanks += padding;
    if (width == 0)
        return blanks + (column->align == TABLE_LEFT ? padding : 0);
    fprintf(out, "%*s%s%s%s", (int)blanks, "", escape, text, *escape ? "\033[0m" : "");
    return column->align == TABLE_LEFT ? padding : 0;
}

// Of the terminal that `out` is; 0: it is none.
static size_t columns_of(FILE *out) {
    struct winsize size;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool needs_own_line(const struct table *table, const char *last, size_t most) {
    const struct table_column *column = &table->columns[table->n_columns - 1];
    if (most == 0 || table->n_columns == 1 || column->align != TABLE_LEFT || !*last)
        return false;
    size_t width = 2 + text_width(last);
    for (unsigned i = 0; i + 1 < table->n_columns; i++)
        width += 2 + table->columns[i].width;
    return width > most;
}

void table_print(const struct table *table, FILE *out, bool colour) {
    static const char *const escapes[] = {"", "\033[32m", "\033[33m", "\033[31m", "\033[2m"};
    if (table->n_columns == 0)
        return;
    bool has_titles = false;
    for (unsigned i = 0; i < table->n_columns; i++)
        has_titles |= table->columns[i].title[0] != '\0';
    size_t blanks = 0, most = columns_of(out);
    for (unsigned i = 0; has_titles && i < table->n_columns; i++)
        blanks = print_cell(out, &table->columns[i], table->columns[i].title, "", blanks);
    if (has_titles)
        fputc('\n', out);
    for (size_t i = 0; i < table->n_cells; i++) {
        unsigned column = (unsigned)(i % table->n_columns);
        if (column == 0)
            blanks = 0;
        const struct table_cell *cell = &table->cells[i];
        if (column + 1 == table->n_columns && needs_own_line(table, cell->text, most)) {
            fputc('\n', out);
            blanks = 4;
        }
        blanks = print_cell(out, &table->columns[column], cell->text, colour ? escapes[cell->colour] : "", blanks);
        if (column + 1 == table->n_columns || i + 1 == table->n_cells)
            fputc('\n', out);
    }
}
