#include "base/screen.h"

#include "base/text.h"

#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

enum { LEAST_COLUMNS = 20, MOST_COLUMNS = 10000, SENTENCE_INDENT = 4 };

// The environment's locale is not installed, as often in containers, but its name states UTF-8.
static bool is_utf8_by_name;

static const char *locale_name(void) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *name = getenv(variables[i]);
        if (name && *name)
            return name;
    }
    return "";
}

void screen_set_up(void) {
    const char *set = strchr(locale_name(), '.');
    is_utf8_by_name =
        !setlocale(LC_CTYPE, "") && set && (strncasecmp(set, ".utf-8", 6) == 0 || strncasecmp(set, ".utf8", 5) == 0);
}

static bool is_utf8(void) {
    return is_utf8_by_name || strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

// `in_pipe`: what a line has where there is neither a terminal nor COLUMNS. A terminal that does not know its size, as
// of a container, is as wide as they used to be.
static size_t columns_of(FILE *out, size_t in_pipe) {
    enum { USUAL_COLUMNS = 80 };
    const char *columns = getenv("COLUMNS");
    unsigned long wanted = columns ? strtoul(columns, NULL, 10) : 0;
    struct winsize size;
    if (wanted == 0 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        wanted = size.ws_col ? size.ws_col : USUAL_COLUMNS;
    if (wanted == 0)
        wanted = in_pipe;
    return wanted < LEAST_COLUMNS ? LEAST_COLUMNS : wanted > MOST_COLUMNS ? MOST_COLUMNS : wanted;
}

size_t screen_columns(FILE *out) {
    return columns_of(out, SCREEN_PIPE_COLUMNS);
}

size_t screen_whole_columns(FILE *out) {
    return columns_of(out, MOST_COLUMNS);
}

// Returns the sign at the start of `text` in ASCII; null: Cyclops does not use this sign.
static const char *in_ascii(const char *text, size_t length) {
    static const char *const signs[][2] = {{"±", "+-"}, {"→", "->"}, {"…", "..."}, {"×", "x"},  {"‖", "|"},
                                           {"·", "."},  {"█", "#"},  {"∞", "inf"}, {"≤", "<="}, {"≠", "!="}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strlen(signs[i][0]) == length && memcmp(signs[i][0], text, length) == 0)
            return signs[i][1];
    return NULL;
}

// Takes the next character of `text`, as it is to be written. Returns false at the end.
static bool next_character(const char **text, struct slice *written) {
    bool is_shown;
    size_t length = text_character(*text, &is_shown);
    const char *ascii = length > 1 && !is_utf8() ? in_ascii(*text, length) : NULL;
    *written = ascii ? (struct slice){ascii, strlen(ascii)} : (struct slice){*text, length};
    *text += length;
    return length != 0;
}

const char *screen_text(struct arena *arena, const char *text) {
    struct text shown = {.arena = arena};
    struct slice character;
    text_add(&shown, "");
    while (next_character(&text, &character))
        text_append(&shown, character.data, character.length);
    return shown.data;
}

// Returns the place after that many columns of `text`.
static const char *skip(const char *text, size_t columns) {
    bool is_shown;
    while (*text && columns-- > 0)
        text += text_character(text, &is_shown);
    return text;
}

static bool separates(char c) {
    return c == ' ' || c == ';';
}

const char *screen_cut(struct arena *arena, const char *text, size_t columns) {
    const char *gap = screen_text(arena, "…");
    size_t width = text_width(text), n_gap = text_width(gap);
    if (width <= columns || columns <= n_gap)
        return text;
    size_t n_last = (columns - n_gap) / 2, n_first = columns - n_gap - n_last;
    const char *end = skip(text, n_first), *last = skip(text, width - n_last);
    while (end > text && separates(end[-1]))
        end--;
    while (separates(*last))
        last++;
    return arena_printf(arena, "%.*s%s%s", (int)(end - text), text, gap, last);
}

void screen_puts(const char *text, FILE *out) {
    struct slice character;
    while (next_character(&text, &character))
        fwrite(character.data, 1, character.length, out);
}

void screen_print_sentence(const char *text, FILE *out) {
    screen_wrap(text, 0, SENTENCE_INDENT, screen_columns(out), out);
}

void screen_print_whole_sentence(const char *text, FILE *out) {
    screen_wrap(text, 0, SENTENCE_INDENT, screen_whole_columns(out), out);
}

void screen_wrap(const char *text, size_t at, size_t indent, size_t columns, FILE *out) {
    struct arena arena = {0};
    const char *shown = screen_text(&arena, text);
    struct slice rest = {shown, strlen(shown)}, line;
    for (bool is_first = true; slice_next_line(&rest, columns > at ? columns - at : 1, &line); is_first = false) {
        if (!is_first)
            fprintf(out, "\n%*s", (int)indent, "");
        fwrite(line.data, 1, line.length, out);
        at = indent;
    }
    fputc('\n', out);
    arena_free(&arena);
}
