#include "cli/mca/response.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

struct words {
    struct arena *arena;
    char **list; // array of ARENA_ADD
    size_t count;
};

// The files that are open, innermost first.
struct open_file {
    const struct open_file *outer;
    dev_t device;
    ino_t number;
};

static void add(struct words *words, char *word) {
    *ARENA_ADD(words->arena, words->list, words->count) = word;
}

// Returns the next word; null at the end.
static char *next_word(struct arena *arena, const char **from, const char *end) {
    struct text word = {.arena = arena};
    char quote = '\0';
    const char *c = *from;
    for (; c < end; c++) {
        bool is_blank = quote == '\0' && strchr(" \t\r\n", *c) != NULL && *c != '\0';
        if (is_blank && word.length != 0)
            break;
        bool is_escape = *c == '\\' && c + 1 < end;
        if (is_escape)
            text_append(&word, ++c, 1);
        else if (quote != '\0' ? *c == quote : *c == '"' || *c == '\'')
            quote = quote != '\0' ? '\0' : *c;
        else if (!is_blank)
            text_append(&word, c, 1);
    }
    *from = c;
    return word.length != 0 ? word.data : NULL;
}

static bool add_file(struct words *words, char *word, const struct open_file *outer, struct fail *fail);

static bool add_words(struct words *words, const char *text, size_t length, const struct open_file *file,
                      struct fail *fail) {
    static const char utf8_mark[] = "\xef\xbb\xbf";
    const char *from = text, *end = text + length;
    if (text_starts(from, utf8_mark))
        from += strlen(utf8_mark);
    for (char *word; (word = next_word(words->arena, &from, end)) != NULL;)
        if (!add_file(words, word, file, fail))
            return false;
    return true;
}

// Adds a word, or the words of the file that it names.
static bool add_file(struct words *words, char *word, const struct open_file *outer, struct fail *fail) {
    struct stat status;
    if (word[0] != '@' || (stat(word + 1, &status) != 0 && errno == ENOENT)) {
        add(words, word);
        return true;
    }
    const struct open_file file = {.outer = outer, .device = status.st_dev, .number = status.st_ino};
    for (const struct open_file *other = outer; other != NULL; other = other->outer)
        if (other->device == file.device && other->number == file.number)
            return fail_set(fail, FAIL_INPUT, "recursive expansion of: '%s'", word + 1);
    char *text;
    size_t length;
    return file_read(words->arena, word + 1, &text, &length, fail) && add_words(words, text, length, &file, fail);
}

bool response_expand(struct arena *arena, int *argc, char ***argv, struct fail *fail) {
    struct words words = {.arena = arena};
    for (int i = 0; i < *argc; i++) {
        if (i == 0)
            add(&words, (*argv)[i]);
        else if (!add_file(&words, (*argv)[i], NULL, fail))
            return false;
    }
    *argc = (int)words.count;
    *argv = words.list;
    return true;
}
