// Reads the text of a branch trace.
#include "analyzer/predict/branch_trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct trace_reader {
    const char *name;
    const char *at, *line_start;
    unsigned line; // from 1
    struct fail *fail;
};

static unsigned column(const struct trace_reader *reader) {
    return (unsigned)(reader->at - reader->line_start) + 1;
}

// White space, comments and, as separators, commas and parentheses.
static void skip(struct trace_reader *reader, const char *separators) {
    for (; *reader->at != '\0'; reader->at++) {
        if (*reader->at == '#') {
            reader->at += strcspn(reader->at, "\n");
            if (*reader->at == '\0')
                return;
        }
        if (*reader->at == '\n') {
            reader->line++;
            reader->line_start = reader->at + 1;
        } else if (!isspace((unsigned char)*reader->at) && strchr(separators, *reader->at) == NULL) {
            return;
        }
    }
}

// What GNU as and LLVM allow in a label without quotes.
static size_t label_length(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || (text[length] != '\0' && strchr("_.$@?", text[length]) != NULL))
        length++;
    return length;
}

static bool read_count(struct trace_reader *reader, struct branch_word *word) {
    skip(reader, "");
    if (*reader->at != '*')
        return true;
    reader->at++;
    skip(reader, "");
    char *end;
    errno = 0;
    word->count = strtoull(reader->at, &end, 10);
    if (!isdigit((unsigned char)*reader->at) || errno != 0 || word->count == 0)
        return fail_at(reader->fail, reader->name, reader->line, column(reader),
                       "behind '*' stands how often the word is repeated, a number from 1 on");
    reader->at = end;
    return true;
}

static bool read_word(struct arena *arena, struct trace_reader *reader, struct branch_word *word) {
    size_t length = label_length(reader->at);
    *word = (struct branch_word){.count = 1, .line = reader->line, .column = column(reader)};
    if (length == 0)
        return fail_at(reader->fail, reader->name, reader->line, column(reader),
                       "'%c' begins no label; a branch trace looks like (ENTRY, loop, loop, FALLTHROUGH)", *reader->at);
    const char *label = arena_copy(arena, reader->at, length);
    word->label = strcmp(label, "FALLTHROUGH") == 0 ? NULL : label;
    reader->at += length;
    word->is_mispredicted = *reader->at == '!';
    reader->at += word->is_mispredicted;
    return read_count(reader, word);
}

bool branch_trace_parse(struct arena *arena, const char *name, const char *text, struct branch_trace *trace,
                        struct fail *fail) {
    struct trace_reader reader = {.name = name, .at = text, .line_start = text, .line = 1, .fail = fail};
    struct branch_word *words = NULL;
    *trace = (struct branch_trace){.name = name};
    for (skip(&reader, ",()"); *reader.at != '\0'; skip(&reader, ",()"))
        if (!read_word(arena, &reader, ARENA_ADD(arena, words, trace->n_words)))
            return false;
    trace->words = words;
    return trace->n_words > 0 || fail_at(fail, name, 0, 0, "there is no word of a branch trace in it");
}
