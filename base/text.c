#include "base/text.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_append(struct text *text, const char *bytes, size_t length) {
    size_t needed = text->length + length + 1;
    if (needed > text->room) {
        size_t room = text->room ? text->room : 256;
        while (room < needed)
            room *= 2;
        char *larger = arena_alloc(text->arena, room);
        if (text->length)
            memcpy(larger, text->data, text->length);
        text->data = larger;
        text->room = room;
    }
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *string) {
    text_append(text, string, strlen(string));
}

void text_addf(struct text *text, const char *format, ...) {
    char small[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(small, sizeof small, format, args);
    assert(length >= 0);
    if ((size_t)length < sizeof small)
        text_append(text, small, (size_t)length);
    else
        text_add(text, arena_vprintf(text->arena, format, again));
    va_end(again);
    va_end(args);
}

void text_add_number(struct text *text, double number, int decimals) {
    size_t start = text->length;
    text_addf(text, "%.*f", decimals, number);
    if (strchr(text->data + start, '.')) {
        while (text->data[text->length - 1] == '0')
            text->length--;
        text->length -= text->data[text->length - 1] == '.';
        text->data[text->length] = '\0';
    }
    if (strcmp(text->data + start, "-0") == 0) {
        text->length = start;
        text_add(text, "0");
    }
}

void text_add_word(struct text *text, const char *word) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
    if (*word && !word[strspn(word, plain)]) {
        text_add(text, word);
        return;
    }
    text_add(text, "'");
    for (; *word; word++)
        if (*word == '\'')
            text_add(text, "'\\''");
        else
            text_append(text, word, 1);
    text_add(text, "'");
}

// Combining marks U+0300–U+036F are 0xCC 0x80 to 0xCD 0xAF in UTF-8.
static bool is_combining(const unsigned char *s) {
    return (s[0] == 0xCC && s[1] >= 0x80) || (s[0] == 0xCD && s[1] >= 0x80 && s[1] <= 0xAF);
}

size_t text_width(const char *string) {
    size_t width = 0;
    for (const unsigned char *s = (const unsigned char *)string; *s; s++) {
        if (s[0] == '\033' && s[1] == '[') {
            while (*s && *s != 'm')
                s++;
            if (!*s)
                break;
            continue;
        }
        bool is_continuation = (*s & 0xC0) == 0x80;
        if (!is_continuation && !is_combining(s))
            width++;
    }
    return width;
}

enum { LONGEST_WORD = 63 };

static unsigned min(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static bool is_same_letter(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Sets the code point at the start of a string, by RFC 3629. Returns its length, bytes; 0: not UTF-8, or the end.
static size_t decode(const unsigned char *s, unsigned *point) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;
    *point = n < 2 ? *s : *s & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (s[i] & 0x3fu);
    }
    bool is_good = n && *point >= least[n] && *point <= 0x10ffff && (*point < 0xd800 || *point > 0xdfff);
    return is_good && *s ? n : 0;
}

// Whether a code point does not change how the text around it reads. These do: Unicode's bidirectional controls (UAX
// #9, 2.), its line and paragraph separators, and characters without width (U+200B to U+200F, U+FEFF).
static bool is_visible(unsigned point) {
    static const struct {
        unsigned first, last;
    } hidden[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},  {0x200b, 0x200f},
                  {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (point >= hidden[i].first && point <= hidden[i].last)
            return false;
    return true;
}

size_t text_character(const char *string, bool *is_shown) {
    unsigned point;
    size_t n = decode((const unsigned char *)string, &point);
    *is_shown = n && is_visible(point);
    return n == 0 && *string ? 1 : n;
}

const char *text_printable(struct arena *arena, const char *string, size_t most) {
    struct text text = {.arena = arena};
    bool is_shown;
    text_add(&text, "");
    for (size_t n; (n = text_character(string, &is_shown)) != 0; string += n) {
        if (text.length + n > most) {
            text_add(&text, "…");
            break;
        }
        for (size_t i = 0; i < n && !is_shown; i++)
            text_addf(&text, "\\x%02x", (unsigned char)string[i]);
        if (is_shown)
            text_append(&text, string, n);
    }
    return text.data;
}

const char *text_replaced(struct arena *arena, const char *string, char from, char to) {
    char *copy = arena_strdup(arena, string);
    for (char *c = copy; (c = strchr(c, from)) != NULL; c++)
        *c = to;
    return copy;
}

const char *text_count(struct arena *arena, size_t n, const char *noun) {
    return arena_printf(arena, "%zu %s%s", n, noun, n == 1 ? "" : "s");
}

const char *text_count_are(struct arena *arena, size_t n, const char *noun) {
    return arena_printf(arena, "%s %s", text_count(arena, n, noun), n == 1 ? "is" : "are");
}

const char *text_number_beside(struct arena *arena, double number, double other, int digits) {
    enum { MOST_DIGITS = 9 };
    const char *text = arena_printf(arena, "%.*g", digits, number);
    while (number != other && digits < MOST_DIGITS && strcmp(text, arena_printf(arena, "%.*g", digits, other)) == 0)
        text = arena_printf(arena, "%.*g", ++digits, number);
    return text;
}

const char *text_without_tabs(struct arena *arena, const char *string) {
    return text_replaced(arena, string, '\t', ' ');
}

const char *text_lower(struct arena *arena, const char *string) {
    char *copy = arena_strdup(arena, string);
    for (char *c = copy; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return copy;
}

// Optimal string alignment distance. F. Damerau, "A technique for computer detection and correction of spelling
// errors", CACM 7(3), 1964.
unsigned text_distance(const char *a, const char *b) {
    size_t n_a = strlen(a), n_b = strlen(b);
    if (n_a > LONGEST_WORD || n_b > LONGEST_WORD)
        return strcmp(a, b) == 0 ? 0 : LONGEST_WORD;
    unsigned d[LONGEST_WORD + 1][LONGEST_WORD + 1];
    for (size_t i = 0; i <= n_a; i++) {
        for (size_t j = 0; j <= n_b; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned replaced = d[i - 1][j - 1] + !is_same_letter(a[i - 1], b[j - 1]);
            d[i][j] = min(replaced, min(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) && is_same_letter(a[i - 2], b[j - 1]))
                d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[n_a][n_b];
}

enum { MOST_SUGGESTIONS = 3 };

const char *text_did_you_mean(struct arena *arena, const char *word, const char *const *names, size_t n_names) {
    const char *best[MOST_SUGGESTIONS];
    unsigned distance[MOST_SUGGESTIONS];
    size_t n_best = 0;
    size_t length = strlen(word);
    unsigned limit = length < 4 ? 1 : length < 8 ? 2 : 3;
    for (size_t i = 0; i < n_names; i++) {
        unsigned d = text_distance(word, names[i]);
        bool is_full = n_best == MOST_SUGGESTIONS;
        if (d > limit || (is_full && d >= distance[n_best - 1]))
            continue;
        size_t place = is_full ? n_best - 1 : n_best++;
        for (; place > 0 && distance[place - 1] > d; place--) {
            best[place] = best[place - 1];
            distance[place] = distance[place - 1];
        }
        best[place] = names[i];
        distance[place] = d;
    }
    if (n_best == 0)
        return "";
    struct text text = {.arena = arena};
    text_add(&text, " (did you mean ");
    for (size_t i = 0; i < n_best; i++)
        text_addf(&text, "%s'%s'", i == 0 ? "" : i + 1 == n_best ? " or " : ", ", best[i]);
    text_add(&text, "?)");
    return text.data;
}

bool text_starts(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

int text_compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t text_sort(const char **texts, size_t n) {
    size_t n_different = 0;
    if (n)
        qsort(texts, n, sizeof *texts, text_compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(texts[i], texts[n_different - 1]) != 0)
            texts[n_different++] = texts[i];
    return n_different;
}

size_t text_find(const char *word, const char *const *names, size_t n) {
    size_t i = 0;
    while (i < n && strcmp(names[i], word) != 0)
        i++;
    return i;
}

bool slice_next(struct slice *rest, char separator, struct slice *piece) {
    if (!rest->data)
        return false;
    const char *end = rest->length ? memchr(rest->data, separator, rest->length) : NULL;
    *piece = (struct slice){rest->data, end ? (size_t)(end - rest->data) : rest->length};
    if (end)
        *rest = (struct slice){end + 1, rest->length - piece->length - 1};
    else
        *rest = (struct slice){NULL, 0};
    return true;
}

// Whether a space stands beside a lone "=": "n = 12" stays on one line.
static bool is_beside_equals(const char *start, const char *space, const char *end) {
    bool is_before = space + 2 < end && space[1] == '=' && space[2] == ' ',
         is_behind = space >= start + 2 && space[-1] == '=' && space[-2] == ' ';
    return is_before || is_behind;
}

// Whether a blank belongs to a number and what it counts: "1 %", "401 × a reason".
static bool is_in_quantity(const char *start, const char *space, const char *end) {
    static const char times[] = "×";
    const size_t n = sizeof times - 1, n_behind = (size_t)(end - space - 1);
    return (n_behind && space[1] == '%') || (n_behind >= n && memcmp(space + 1, times, n) == 0) ||
           ((size_t)(space - start) >= n && memcmp(space - n, times, n) == 0);
}

// Whether a line may end at this place.
static bool is_break(const char *start, const char *at, const char *end) {
    return *at == ' ' && !is_beside_equals(start, at, end) && !is_in_quantity(start, at, end);
}

bool slice_next_line(struct slice *rest, size_t columns, struct slice *line) {
    if (rest->length == 0)
        return false;
    const char *start = rest->data, *end = start + rest->length, *at = start, *stop = NULL; // stop: end of a word
    for (size_t width = 0; at < end; at++) {
        bool is_continuation = (*at & 0xC0) == 0x80;
        if (!is_continuation && !is_combining((const unsigned char *)at) && ++width > columns && at > start)
            break;
        if (is_break(start, at, end))
            stop = at;
    }
    if (at == end || is_break(start, at, end) || !stop)
        stop = at;
    *line = (struct slice){start, (size_t)(stop - start)};
    while (line->length && line->data[line->length - 1] == ' ')
        line->length--;
    while (stop < end && *stop == ' ')
        stop++;
    *rest = (struct slice){stop, (size_t)(end - stop)};
    return true;
}

struct slice slice_trim(struct slice s) {
    while (s.length && isspace((unsigned char)s.data[0])) {
        s.data++;
        s.length--;
    }
    while (s.length && isspace((unsigned char)s.data[s.length - 1]))
        s.length--;
    return s;
}

bool slice_equals(struct slice a, struct slice b) {
    return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

bool slice_starts(struct slice s, const char *start) {
    size_t length = strlen(start);
    return s.length >= length && memcmp(s.data, start, length) == 0;
}

bool slice_is(struct slice s, const char *string) {
    return s.length == strlen(string) && memcmp(s.data, string, s.length) == 0;
}
