#include "base/table.h"

#include "base/screen.h"
#include "base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { GAP = 2, NOTE_INDENT = 4, WIDE_NAME = 24, LEAST_NAME = 10, LEAST_TEXT = 12 };

static bool is_note(enum table_align align) {
    return align == TABLE_NOTE || align == TABLE_BELOW;
}

void table_column(struct table *table, enum table_align align, const char *title) {
    assert(table->n_columns < TABLE_MAX_COLUMNS && table->n_cells == 0);
    assert(!is_note(table->n_columns ? table->columns[table->n_columns - 1].align : align));
    table->columns[table->n_columns++] = (struct table_column){screen_text(table->arena, title), align, 0};
}

static void add_cell(struct table *table, enum table_colour colour, const char *text) {
    assert(table->n_columns > 0);
    struct table_column *column = &table->columns[table->n_cells % table->n_columns];
    const char *shown = screen_text(table->arena, text);
    size_t width = text_width(shown);
    if (width > column->widest)
        column->widest = width;
    *ARENA_ADD(table->arena, table->cells, table->n_cells) = (struct table_cell){shown, colour};
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

// ---- widths of the columns

struct layout {
    size_t screen;                    // width of the terminal, columns
    unsigned n_columns;               // number of columns without the note
    size_t widths[TABLE_MAX_COLUMNS]; // width of each, terminal columns
};

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t width_of(struct arena *arena, struct slice text) {
    return text_width(arena_copy(arena, text.data, text.length));
}

// Returns the least width of a title in at most two lines.
static size_t narrowest_title(struct arena *arena, const char *title) {
    size_t whole = text_width(title), narrowest = whole;
    for (const char *blank = strchr(title, ' '); blank; blank = strchr(blank + 1, ' ')) {
        size_t first = width_of(arena, (struct slice){title, (size_t)(blank - title)});
        size_t width = larger(first, whole - first - 1);
        narrowest = width < narrowest ? width : narrowest;
    }
    return narrowest;
}

static size_t total_width(const struct layout *layout) {
    size_t total = 0;
    for (unsigned i = 0; i < layout->n_columns; i++)
        total += GAP + layout->widths[i];
    return total;
}

static size_t longest_word(const struct table *table, unsigned column) {
    size_t longest = 0;
    for (size_t i = column; i < table->n_cells; i += table->n_columns) {
        struct slice rest = {table->cells[i].text, strlen(table->cells[i].text)}, word;
        while (slice_next(&rest, ' ', &word))
            longest = larger(longest, width_of(table->arena, word));
    }
    return longest;
}

// Narrows the columns with this alignment until the table fits, but not below `least`, and texts not below their
// longest word.
static void shrink(const struct table *table, struct layout *layout, enum table_align align, size_t least) {
    for (unsigned i = 0; i < layout->n_columns; i++) {
        size_t total = total_width(layout), *width = &layout->widths[i];
        if (table->columns[i].align != align || total <= layout->screen)
            continue;
        size_t excess = total - layout->screen, lowest = align == TABLE_WRAP ? longest_word(table, i) : least;
        lowest = larger(lowest, least);
        if (*width > lowest)
            *width = larger(lowest, *width > excess ? *width - excess : 0);
    }
}

static struct layout lay_out(const struct table *table, size_t screen) {
    const struct table_column *columns = table->columns;
    struct layout layout = {.screen = screen, .n_columns = table->n_columns};
    layout.n_columns -= is_note(columns[table->n_columns - 1].align);
    for (unsigned i = 0; i < layout.n_columns; i++)
        layout.widths[i] = larger(columns[i].widest, text_width(columns[i].title));
    if (total_width(&layout) <= screen)
        return layout;
    for (unsigned i = 0; i < layout.n_columns; i++)
        layout.widths[i] = larger(columns[i].widest, narrowest_title(table->arena, columns[i].title));
    shrink(table, &layout, TABLE_CUT, WIDE_NAME);
    shrink(table, &layout, TABLE_WRAP, LEAST_TEXT);
    shrink(table, &layout, TABLE_CUT, LEAST_NAME);
    return layout;
}

// ---- printing

// A part of a table: the first column, and as many of the others as fit.
struct part {
    const struct table *table;
    const struct layout *layout;
    unsigned first, end; // range of the other columns
    FILE *out;
    bool colour;
    size_t blanks; // blanks to print before the next text, so that lines do not end in blanks
};

// The lines of a cell.
struct lines {
    struct slice *items;
    size_t n;
};

static struct lines break_text(struct arena *arena, const char *text, size_t width) {
    struct slice rest = {text, strlen(text)}, line;
    struct lines lines = {0};
    while (slice_next_line(&rest, larger(width, 1), &line))
        *ARENA_ADD(arena, lines.items, lines.n) = line;
    return lines;
}

static struct lines cell_lines(struct arena *arena, const char *text, enum table_align align, size_t width) {
    if (align == TABLE_WRAP)
        return break_text(arena, text, width);
    if (align == TABLE_CUT)
        text = screen_cut(arena, text, width);
    return break_text(arena, text, SIZE_MAX);
}

static unsigned next_column(const struct part *part, unsigned column) {
    return column == 0 ? part->first : column + 1;
}

static void print_piece(struct part *part, unsigned column, struct slice text, enum table_colour colour) {
    static const char *const escapes[] = {"", "\033[32m", "\033[33m", "\033[31m", "\033[2m"};
    size_t width = width_of(part->table->arena, text), room = part->layout->widths[column];
    size_t padding = room > width ? room - width : 0;
    enum table_align align = part->table->columns[column].align;
    bool is_right = align == TABLE_RIGHT || align == TABLE_BESIDE;
    part->blanks += GAP + (is_right ? padding : 0);
    if (width) {
        const char *escape = part->colour ? escapes[colour] : "";
        fprintf(part->out, "%*s%s%.*s%s", (int)part->blanks, "", escape, (int)text.length, text.data,
                *escape ? "\033[0m" : "");
        part->blanks = 0;
    }
    part->blanks += is_right ? 0 : padding;
}

// Prints `lines[column]` of each column of the part, and the note to their right or below. `cells`: cells with the
// colours; null: titles.
static void print_lines(struct part *part, const struct lines *lines, const struct table_cell *cells,
                        const char *note) {
    size_t n_lines = 1, width = GAP + part->layout->widths[0];
    for (unsigned i = 0; i < part->end; i = next_column(part, i))
        n_lines = larger(n_lines, lines[i].n);
    for (unsigned i = part->first; i < part->end; i++)
        width += GAP + part->layout->widths[i];
    bool is_below = part->table->columns[part->table->n_columns - 1].align == TABLE_BELOW,
         is_beside = !is_below && width + GAP + text_width(note) <= part->layout->screen;
    size_t indent = is_below ? width - part->layout->widths[part->end - 1] : NOTE_INDENT;
    for (size_t line = 0; line < n_lines; line++) {
        part->blanks = 0;
        for (unsigned i = 0; i < part->end; i = next_column(part, i))
            print_piece(part, i, line < lines[i].n ? lines[i].items[line] : (struct slice){"", 0},
                        cells ? cells[i].colour : TABLE_PLAIN);
        if (line == 0 && is_beside && *note)
            fprintf(part->out, "%*s%s", (int)part->blanks + GAP, "", note);
        fputc('\n', part->out);
    }
    if (!is_beside && *note) {
        fprintf(part->out, "%*s", (int)indent, "");
        screen_wrap(note, indent, indent, part->layout->screen, part->out);
    }
}

static void print_titles(struct part *part) {
    const struct table *table = part->table;
    struct lines lines[TABLE_MAX_COLUMNS] = {{0}};
    bool has_titles = false;
    for (unsigned i = 0; i < table->n_columns; i++)
        has_titles |= table->columns[i].title[0] != '\0';
    for (unsigned i = 0; i < part->layout->n_columns; i++)
        lines[i] = break_text(table->arena, table->columns[i].title, part->layout->widths[i]);
    bool has_note = part->layout->n_columns < table->n_columns && part->end == part->layout->n_columns;
    if (has_titles)
        print_lines(part, lines, NULL, has_note ? table->columns[table->n_columns - 1].title : "");
}

// Prints the row's name on a separate line above it, where that is necessary. Does not repeat the name of the row
// before. Returns whether the name is above.
static bool print_name_above(const struct part *part, size_t first_cell) {
    const struct table *table = part->table;
    const char *name = table->cells[first_cell].text;
    size_t width = part->layout->widths[0], above = first_cell - table->n_columns;
    bool is_much_cut = 2 * text_width(name) > 3 * width;
    if (table->columns[0].align != TABLE_CUT || width >= WIDE_NAME || !is_much_cut)
        return false;
    if (first_cell == 0 || strcmp(table->cells[above].text, name) != 0)
        fprintf(part->out, "%*s%s\n", GAP, "", screen_cut(table->arena, name, part->layout->screen - GAP));
    return true;
}

static void print_row(struct part *part, size_t first_cell) {
    const struct table *table = part->table;
    const struct table_cell *cells = &table->cells[first_cell];
    bool is_named = print_name_above(part, first_cell);
    struct lines lines[TABLE_MAX_COLUMNS] = {{0}};
    struct table_cell whole[TABLE_MAX_COLUMNS] = {{0}}; // with empty cells where the last row is short
    const char *note = "";
    for (unsigned i = 0; i < table->n_columns && first_cell + i < table->n_cells; i++) {
        whole[i] = cells[i];
        if (i == 0 && is_named)
            continue;
        if (i < part->layout->n_columns)
            lines[i] = cell_lines(table->arena, cells[i].text, table->columns[i].align, part->layout->widths[i]);
        else if (part->end == part->layout->n_columns)
            note = cells[i].text;
    }
    print_lines(part, lines, whole, note);
}

// Returns the end of the columns that fit into a part with the first one. TABLE_BESIDE columns stay with the one
// before.
static unsigned end_of_part(const struct table *table, const struct layout *layout, unsigned first) {
    size_t width = GAP + layout->widths[0];
    unsigned end = first;
    while (end < layout->n_columns) {
        unsigned next = end;
        do
            width += GAP + layout->widths[next++];
        while (next < layout->n_columns && table->columns[next].align == TABLE_BESIDE);
        if (width > layout->screen && end > first)
            break;
        end = next;
    }
    return end;
}

void table_print(const struct table *table, FILE *out, bool colour) {
    if (table->n_columns == 0)
        return;
    size_t screen = table->is_whole ? screen_whole_columns(out) : screen_columns(out);
    const struct layout layout = lay_out(table, screen);
    unsigned first = 1;
    do {
        struct part part = {.table = table, .layout = &layout, .first = first, .out = out, .colour = colour};
        part.end = end_of_part(table, &layout, first);
        print_titles(&part);
        for (size_t i = 0; i < table->n_cells; i += table->n_columns)
            print_row(&part, i);
        first = part.end;
    } while (first < layout.n_columns);
}
