#include "survey/commands.h"

#include "base/file.h"
#include "base/text.h"
#include "survey/folder.h"

#include <string.h>
#include <unistd.h>

static const char file[] = "commands.txt";

size_t commands_read(struct arena *arena, const char *folder, const char *const **commands) {
    const char *path = folder_file(arena, folder, file), **list = NULL;
    struct fail unreadable = {0};
    struct slice rest, line;
    char *data;
    size_t length, n = 0;
    *commands = NULL;
    if (access(path, R_OK) != 0 || !file_read(arena, path, &data, &length, &unreadable))
        return 0;
    rest = (struct slice){data, length};
    while (slice_next(&rest, '\n', &line))
        if (rest.length || line.length) // behind the last newline is no line
            *ARENA_ADD(arena, list, n) = arena_copy(arena, line.data, line.length);
    *commands = list;
    return n;
}

bool commands_add(struct arena *arena, const char *folder, const char *command, struct fail *fail) {
    const char *const *before;
    size_t n = commands_read(arena, folder, &before);
    struct text text = {.arena = arena};
    for (size_t i = 0; i < n; i++) {
        if (strcmp(before[i], command) == 0)
            return true;
        text_addf(&text, "%s\n", before[i]);
    }
    text_addf(&text, "%s\n", command);
    return file_write(folder_file(arena, folder, file), text.data, text.length, fail);
}
