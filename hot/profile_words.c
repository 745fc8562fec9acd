// Words and numbers in lines of profiles.
#include "base/line.h"
#include "hot/profile_readers.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool profile_parse_number(struct slice word, int base, uint64_t *number) {
    char text[32], *end;
    if (word.length == 0 || word.length >= sizeof text)
        return false;
    memcpy(text, word.data, word.length);
    text[word.length] = '\0';
    if (!isxdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    *number = strtoull(text, &end, base);
    return *end == '\0' && errno == 0;
}

struct slice profile_next_word(struct slice *rest) {
    size_t at = 0, end;
    if (!rest->length)
        return (struct slice){"", 0};
    while (at < rest->length && isspace((unsigned char)rest->data[at]))
        at++;
    end = at;
    while (end < rest->length && !isspace((unsigned char)rest->data[end]))
        end++;
    struct slice word = {rest->data + at, end - at};
    *rest = (struct slice){rest->data + end, rest->length - end};
    return word;
}

bool profile_begins_with(struct slice text, const char *start) {
    return text.length >= strlen(start) && memcmp(text.data, start, strlen(start)) == 0;
}

bool profile_each_line(const struct profile_input *input, unsigned *number, profile_take_line take, void *context,
                       struct fail *fail) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool is_good = true;
    *number = 0;
    while (is_good && (length = line_read(&line, &room, input->in)) >= 0) {
        ++*number;
        while (length && strchr("\r\n", line[length - 1]))
            line[--length] = '\0';
        is_good = take(context, line, (size_t)length);
    }
    free(line);
    const char *error = is_good ? line_error() : NULL;
    return is_good && (!error || fail_at(fail, input->name, *number + 1, 0, "%s", error));
}
