#include "base/fail.h"

#include "base/screen.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

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

void fail_print_text(const char *text, FILE *out) {
    bool is_shown;
    for (size_t n; (n = text_character(text, &is_shown)) != 0; text += n) {
        char character[5] = "";
        memcpy(character, text, n);
        if (is_shown || *text == '\n' || *text == '\t')
            screen_puts(character, out);
        else
            for (size_t i = 0; i < n; i++)
                fprintf(out, "\\x%02x", (unsigned char)text[i]);
    }
}

void fail_print(const struct fail *fail, FILE *out) {
    fputs("cyclops: error: ", out);
    if (fail->file[0]) {
        fprintf(out, "%s:", fail->file);
        if (fail->line)
            fprintf(out, "%u:", fail->line);
        if (fail->line && fail->column)
            fprintf(out, "%u:", fail->column);
        fputc(' ', out);
    }
    fail_print_text(fail->text, out);
    fputc('\n', out);
}
