#include "hot/perf_map.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *perf_map_path(struct arena *arena, int pid) {
    const char *path = arena_printf(arena, "/tmp/perf-%d.map", pid);
    return access(path, R_OK) == 0 ? path : NULL;
}

bool perf_map_is_path(const char *path) {
    static const char begin[] = "/perf-", end[] = ".map";
    const char *base = strrchr(path, '/');
    const size_t length = base ? strlen(base) : 0;
    return length > sizeof begin - 1 && strncmp(base, begin, sizeof begin - 1) == 0 &&
           strcmp(base + length - (sizeof end - 1), end) == 0;
}

static bool take_line(struct arena *arena, char *line, struct perf_map_entry *entry) {
    char *end, *name;
    entry->begin = strtoull(line, &end, 16);
    if (end == line || *end != ' ')
        return false;
    entry->end = entry->begin + strtoull(end, &name, 16);
    if (name == end || *name != ' ' || !name[1])
        return false;
    for (char *at = ++name; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    entry->name = arena_strdup(arena, name);
    return entry->end > entry->begin;
}

static int compare(const void *a, const void *b) {
    const struct perf_map_entry *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

bool perf_map_read(struct arena *arena, const char *path, struct perf_map *map) {
    enum { MOST_ENTRIES = 1 << 20, MOST_LINE = 1024 };
    struct stat about;
    char line[MOST_LINE];
    *map = (struct perf_map){.n = 0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool is_ours =
        fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && (about.st_uid == geteuid() || about.st_uid == 0);
    FILE *file = is_ours ? fdopen(fd, "r") : NULL;
    if (!file) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool is_rest = false; // of a line that is too long
    for (size_t number = 0; map->n < MOST_ENTRIES && fgets(line, sizeof line, file); number++) {
        struct perf_map_entry entry = {.number = number};
        const bool is_begin = !is_rest;
        char *end = strchr(line, '\n');
        is_rest = !end;
        if (end)
            *end = '\0';
        if (is_begin && take_line(arena, line, &entry))
            *ARENA_ADD(arena, map->entries, map->n) = entry;
    }
    fclose(file);
    if (map->n)
        qsort(map->entries, map->n, sizeof *map->entries, compare);
    return true;
}

const char *perf_map_find(const struct perf_map *map, uint64_t address) {
    size_t first = 0, end = map->n; // those before `first` do not begin behind the address
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (map->entries[middle].begin <= address)
            first = middle + 1;
        else
            end = middle;
    }
    return first && address < map->entries[first - 1].end ? map->entries[first - 1].name : NULL;
}
