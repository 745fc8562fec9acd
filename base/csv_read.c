#include "base/csv_read.h"

#include <string.h>

// Reads a cell in quotes from behind the first one: moves its text to `start`, and returns where it ended; null: no
// quote closes it.
static char *read_quoted(struct csv_reader *reader, char *start) {
    char *to = start;
    for (char *from = start + 1; *from; from++) {
        if (*from == '"' && from[1] != '"') {
            *to = '\0';
            return from + 1;
        }
        reader->n_lines += *from == '\n';
        from += *from == '"';
        *to++ = *from;
    }
    return NULL;
}

static bool is_end_of_cell(const char *at) {
    return *at == '\0' || *at == ',' || *at == '\n' || (*at == '\r' && at[1] == '\n');
}

// Reads a cell. Sets `is_last` where it is the last one of its line.
static bool read_cell(struct csv_reader *reader, bool *is_last, struct fail *fail) {
    char *start = reader->at, *end = start;
    if (*start == '"')
        end = read_quoted(reader, start);
    else
        end += strcspn(start, ",\r\n\"");
    while (end && *end == '\r' && end[1] != '\n' && *start != '"') // a return inside a cell
        end += 1 + strcspn(end + 1, ",\r\n\"");
    if (!end || !is_end_of_cell(end))
        return fail_at(fail, reader->file, reader->line, 0, "%s",
                       !end ? "a quote is not closed" : "a quote stands inside a cell");
    if (reader->n_cells == CSV_MOST_CELLS)
        return fail_at(fail, reader->file, reader->line, 0, "it has more than %d cells", CSV_MOST_CELLS);
    reader->cells[reader->n_cells++] = start;
    *is_last = *end != ',';
    reader->n_lines += *is_last;
    char *next = *end == '\0' ? end : end + 1 + (*end == '\r');
    *end = '\0';
    reader->at = next;
    return true;
}

bool csv_read_next(struct csv_reader *reader, struct fail *fail) {
    for (; *reader->at == '\n' || *reader->at == '\r'; reader->at++)
        reader->n_lines += *reader->at == '\n';
    if (*reader->at == '\0')
        return false;
    reader->line = reader->n_lines + 1;
    reader->n_cells = 0;
    for (bool is_last = false; !is_last;)
        if (!read_cell(reader, &is_last, fail))
            return false;
    return true;
}
