#include "base/fail.h"

#include "base/screen.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 3, 0))) static void fill(struct fail *fail, enum fail_status status, const char *format,
                                                       va_list args) {
    assert(status != FAIL_NONE);
    fail->status = status;
    vsnprintf(fail->text, sizeof fail->text, format, args);
}

void fail_clear(struct fail *fail) {
    fail->status = FAIL_NONE;
    fail->file[0] = fail->text[0] = '\0';
    fail->line = fail->column = 0;
}

bool fail_at(struct fail *fail, const char *file, unsigned line, unsigned column, const char *format, ...) {
    if (fail->status != FAIL_NONE)
        return false;
    snprintf(fail->file, sizeof fail->file, "%s", file ? file : "");
    fail->line = line;
    fail->column = column;
    va_list args;
    va_start(args, format);
    fill(fail, FAIL_INPUT, format, args);
    va_end(args);
    return false;
}

bool fail_set(struct fail *fail, enum fail_status status, const char *format, ...) {
    if (fail->status != FAIL_NONE)
        return false;
    va_list args;
    va_start(args, format);
    fill(fail, status, format, args);
    va_end(args);
    return false;
}

static const char *printable(struct arena *arena, const char *string) {
    struct text text = {.arena = arena};
    bool is_shown;
    text_add(&text, "");
    for (size_t n; (n = text_character(string, &is_shown)) != 0; string += n) {
        if (is_shown || *string == '\n' || *string == '\t')
            text_append(&text, string, n);
        else
            for (size_t i = 0; i < n; i++)
                text_addf(&text, "\\x%02x", (unsigned char)string[i]);
    }
    return text.data;
}

void fail_say(FILE *out, const char *format, ...) {
    struct arena arena = {0};
    va_list args;
    va_start(args, format);
    const char *text = arena_printf(&arena, "cyclops: %s", printable(&arena, arena_vprintf(&arena, format, args)));
    va_end(args);
    if (isatty(fileno(out)) && !strchr(text, '\n')) {
        screen_print_sentence(text, out);
    } else {
        screen_puts(text, out);
        fputc('\n', out);
    }
    arena_free(&arena);
}

void fail_print(const struct fail *fail, FILE *out) {
    struct arena arena = {0};
    struct text place = {.arena = &arena};
    text_add(&place, "error: ");
    if (fail->file[0]) {
        text_addf(&place, "%s:", fail->file);
        if (fail->line)
            text_addf(&place, "%u:", fail->line);
        if (fail->line && fail->column)
            text_addf(&place, "%u:", fail->column);
        text_add(&place, " ");
    }
    fail_say(out, "%s%s", place.data, fail->text);
    arena_free(&arena);
}
