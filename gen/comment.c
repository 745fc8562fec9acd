#include "gen/comment.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

static size_t string_length(const char *at) {
    const char *start = at++;
    while (*at && *at != '"' && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return (size_t)(at - start) + (*at == '"');
}

// Returns the length of the mark that begins a comment up to the line's end; 0: none begins here.
static size_t line_mark(const struct comment_reader *reader) {
    static const char *const everywhere = "//";
    const char *const own = reader->isa->comment;
    if (text_starts(reader->at, own))
        return strlen(own);
    if (text_starts(reader->at, everywhere))
        return strlen(everywhere);
    return reader->line_is_empty && *reader->at == '#' ? 1 : 0;
}

static void take(struct comment_reader *reader, struct comment *comment, size_t mark, size_t length, size_t end_mark) {
    comment->all = (struct slice){reader->at, length};
    comment->text = (struct slice){reader->at + mark, length - mark - end_mark};
    reader->at += length;
}

static bool take_comment(struct comment_reader *reader, struct comment *comment) {
    enum { MARK = 2 }; // length of both marks of a comment in C's way
    size_t mark = line_mark(reader);
    if (mark) {
        take(reader, comment, mark, strcspn(reader->at, "\n"), 0);
        return true;
    }
    if (strncmp(reader->at, "/*", MARK) != 0)
        return false;
    const char *end = strstr(reader->at + MARK, "*/");
    take(reader, comment, MARK, end ? (size_t)(end - reader->at) + MARK : strlen(reader->at), end ? MARK : 0);
    return true;
}

bool comment_next(struct comment_reader *reader, struct comment *comment) {
    while (*reader->at) {
        if (take_comment(reader, comment))
            return true;
        char c = *reader->at;
        reader->at += c == '"' ? string_length(reader->at) : 1;
        reader->line_is_empty = c == '\n' || (reader->line_is_empty && isspace((unsigned char)c));
    }
    return false;
}
