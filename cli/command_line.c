#include "cli/command_line.h"

#include <string.h>

char *const *command_line_words;

static bool is_named(const char *name, const char *const *names) {
    size_t length = strcspn(name, "=");
    for (; *names; names++)
        if (strlen(*names) == length && strncmp(name, *names, length) == 0)
            return true;
    return false;
}

static bool is_operand(const char *word, const struct operands *operands) {
    for (size_t i = 0; operands && i < operands->n_items; i++)
        if (operands->items[i] == word)
            return true;
    return false;
}

void command_line_add(struct text *text, const struct operands *operands, const char *const *options,
                      const char *const *flags) {
    for (char *const *word = command_line_words; *word; word++) {
        const char *name = *word + strspn(*word, "-");
        bool is_option = name > *word;
        if (is_operand(*word, operands) || (is_option && is_named(name, flags)))
            continue;
        if (is_option && is_named(name, options)) {
            word += !strchr(name, '=') && word[1];
            continue;
        }
        if (text->length)
            text_add(text, " ");
        text_add_word(text, *word);
    }
}
