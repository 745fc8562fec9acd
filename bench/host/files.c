#include "bench/host/files.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

static const char *root_folder(void) {
    const char *root = getenv("CYCLOPS_FSROOT");
    return root && strcmp(root, "/") != 0 ? root : "";
}

bool host_root_is_real(void) {
    return *root_folder() == '\0';
}

__attribute__((format(printf, 2, 0))) static const char *below_root(struct arena *arena, const char *format,
                                                                    va_list args) {
    return arena_printf(arena, "%s%s", root_folder(), arena_vprintf(arena, format, args));
}

const char *host_path(struct arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *path = below_root(arena, format, args);
    va_end(args);
    return path;
}

static const char *line_of(struct arena *arena, const char *path) {
    const char *line = file_first_line(arena, path);
    return line && *line ? line : NULL;
}

const char *host_line(struct arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *line = line_of(arena, below_root(arena, format, args));
    va_end(args);
    return line;
}

const char *host_boot_id(struct arena *arena) {
    const char *id = host_line(arena, "/proc/sys/kernel/random/boot_id");
    return id ? id : "";
}

bool host_number(struct arena *arena, double *number, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *line = line_of(arena, below_root(arena, format, args));
    va_end(args);
    char *end = NULL;
    double value = line ? strtod(line, &end) : 0;
    if (!line || end == line)
        return false;
    *number = value;
    return true;
}

bool host_list_holds(const char *list, int cpu) {
    while (list && *list) {
        char *end;
        long first = strtol(list, &end, 10), last = first;
        if (end == list)
            return false;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (cpu >= first && cpu <= last)
            return true;
        list = *end == ',' ? end + 1 : "";
    }
    return false;
}
