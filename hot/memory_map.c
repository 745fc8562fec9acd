#include "hot/memory_map.h"

#include "base/file.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_line(struct arena *arena, char *line, struct mapping *mapping) {
    char rights[8] = "";
    int at = 0;
    *mapping = (struct mapping){.path = ""};
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &mapping->begin, &mapping->end, rights,
               &mapping->offset, &at) < 4)
        return false;
    mapping->is_writable = rights[1] == 'w';
    mapping->is_executable = rights[2] == 'x';
    mapping->is_shared = rights[3] == 's';
    line[strcspn(line, "\n")] = '\0';
    if (at > 0 && (size_t)at < strlen(line))
        mapping->path = arena_strdup(arena, line + at);
    return true;
}

bool memory_map_read(struct arena *arena, int pid, struct memory_map *map) {
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(arena_printf(arena, "/proc/%d/maps", pid), "r");
    *map = (struct memory_map){.n = 0};
    if (!file)
        return false;
    while (getline(&line, &size, file) > 0) {
        struct mapping mapping;
        if (parse_line(arena, line, &mapping))
            *ARENA_ADD(arena, map->items, map->n) = mapping;
    }
    free(line);
    fclose(file);
    return map->n > 0;
}

const struct mapping *memory_map_find(const struct memory_map *map, uint64_t address) {
    for (size_t i = 0; i < map->n; i++)
        if (address >= map->items[i].begin && address < map->items[i].end)
            return &map->items[i];
    return NULL;
}

// Finds the first segment to load of an ELF file: where in the file, and at which address.
static bool read_first_segment(const char *path, uint64_t *offset, uint64_t *address) {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    bool is_elf = fread(&header, sizeof header, 1, file) == 1 && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                  header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_phentsize == sizeof segment;
    bool is_found = false;
    for (unsigned i = 0; is_elf && !is_found && i < header.e_phnum; i++) {
        uint64_t at = header.e_phoff + i * sizeof segment;
        if (at > INT32_MAX || fseek(file, (long)at, SEEK_SET) != 0 || fread(&segment, sizeof segment, 1, file) != 1)
            break;
        is_found = segment.p_type == PT_LOAD;
    }
    fclose(file);
    *offset = is_found ? segment.p_offset : 0;
    *address = is_found ? segment.p_vaddr : 0;
    return is_found;
}

bool memory_map_load_address(const struct memory_map *map, const char *path, uint64_t *address) {
    static const char deleted[] = " (deleted)";
    uint64_t offset, first;
    char *real = realpath(path, NULL);
    bool is_found = false;
    if (!real || !read_first_segment(real, &offset, &first)) {
        free(real);
        return false;
    }
    size_t length = strlen(real);
    for (size_t i = 0; i < map->n && !is_found; i++) {
        const struct mapping *mapping = &map->items[i];
        bool is_path = strncmp(mapping->path, real, length) == 0 &&
                       (!mapping->path[length] || strcmp(mapping->path + length, deleted) == 0);
        uint64_t size = mapping->end - mapping->begin;
        if (!is_path || offset < mapping->offset || offset - mapping->offset >= size)
            continue;
        *address = mapping->begin + (offset - mapping->offset) - first;
        is_found = true;
    }
    free(real);
    return is_found;
}
