#include "gen/statement.h"

#include "gen/comment.h"

#include <ctype.h>
#include <string.h>

// Returns a copy with blanks for comments, so that offsets and lines stay.
static char *without_comments(struct arena *arena, const struct isa *isa, const char *text) {
    char *copy = arena_strdup(arena, text);
    struct comment_reader reader = {.isa = isa, .at = text, .line_is_empty = true};
    for (struct comment comment; comment_next(&reader, &comment);)
        for (size_t i = 0; i < comment.all.length; i++)
            if (comment.all.data[i] != '\n')
                copy[comment.all.data + i - text] = ' ';
    return copy;
}

static bool is_symbol(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

// Takes "name:" off the front.
static bool take_label(struct slice *rest, struct slice *label) {
    size_t n = 0;
    while (n < rest->length && is_symbol(rest->data[n]))
        n++;
    if (n == 0 || n == rest->length || rest->data[n] != ':')
        return false;
    *label = (struct slice){rest->data, n};
    *rest = slice_trim((struct slice){rest->data + n + 1, rest->length - n - 1});
    return true;
}

static struct statement make(const char *source, struct slice text, unsigned line, const char *line_start) {
    struct statement statement = {
        .text = text,
        .rest = text,
        .offset = (size_t)(text.data - source),
        .line = line,
        .column = (unsigned)(text.data - line_start) + 1,
    };
    if (take_label(&statement.rest, &statement.label)) {
        struct slice further;
        while (take_label(&statement.rest, &further))
            if (isdigit((unsigned char)statement.label.data[0]))
                statement.label = further; // prefer a name to a number
    }
    return statement;
}

static size_t statement_end(const char *at) {
    const char *start = at;
    while (*at && *at != '\n' && *at != ';') {
        if (*at == '"') {
            do
                at += at[0] == '\\' && at[1] ? 2 : 1;
            while (*at && *at != '"' && *at != '\n');
            if (*at != '"')
                continue;
        }
        at++;
    }
    return (size_t)(at - start);
}

size_t statement_split(struct arena *arena, const struct isa *isa, const char *text,
                       const struct statement **statements) {
    const char *source = without_comments(arena, isa, text);
    struct statement *list = NULL;
    size_t n = 0;
    unsigned line = 1;
    const char *line_start = source;
    for (const char *at = source; *at;) {
        size_t length = statement_end(at);
        struct slice piece = slice_trim((struct slice){at, length});
        if (piece.length)
            *ARENA_ADD(arena, list, n) = make(source, piece, line, line_start);
        at += length;
        if (*at == '\n') {
            line++;
            line_start = at + 1;
        }
        at += *at != '\0';
    }
    *statements = list;
    return n;
}

static struct slice first_word(struct slice text) {
    size_t n = 0;
    while (n < text.length && !isspace((unsigned char)text.data[n]))
        n++;
    return (struct slice){text.data, n};
}

struct slice statement_word(const struct statement *statement) {
    return first_word(statement->rest);
}

// ".byte 0x90" counts as a directive, although the CPU executes it: the text shows only its bytes.
bool statement_is_directive(const struct statement *statement) {
    return statement->rest.length && statement->rest.data[0] == '.';
}

bool statement_is_instruction(const struct statement *statement) {
    return statement->rest.length && statement->rest.data[0] != '.';
}

bool statement_label_is_numeric(const struct statement *statement) {
    for (size_t i = 0; i < statement->label.length; i++)
        if (!isdigit((unsigned char)statement->label.data[i]))
            return false;
    return true;
}
