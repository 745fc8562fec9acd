#include "base/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *line_error(void) {
    static const char *const too_long = "a line is longer than 16777216 characters",
                             *const no_text = "it is not text: a line holds a NUL character";
    return errno == 0 ? NULL : errno == EMSGSIZE ? too_long : errno == EILSEQ ? no_text : strerror(errno);
}

static ssize_t give_up(int error) {
    errno = error;
    return -1;
}

ssize_t line_read(char **text, size_t *room, FILE *in) {
    enum { FIRST_ROOM = 128 };
    size_t length = 0;
    errno = 0;
    for (;;) {
        if (length + 1 >= *room) {
            *room = *room ? 2 * *room : FIRST_ROOM;
            *text = realloc(*text, *room);
            if (!*text)
                abort(); // as arenas do
        }
        if (!fgets(*text + length, (int)(*room - length), in))
            return length && !ferror(in) ? (ssize_t)length : ferror(in) ? -1 : give_up(0);
        length += strlen(*text + length);
        if (length > LINE_MOST)
            return give_up(EMSGSIZE);
        if (length && (*text)[length - 1] == '\n')
            return (ssize_t)length;
        if (length + 1 < *room)
            return feof(in) ? (ssize_t)length : give_up(EILSEQ);
    }
}
