// Private to this folder.
// The mappings of a process, from /proc.
#ifndef HOT_MEMORY_MAP_H
#define HOT_MEMORY_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
    uint64_t begin, end, offset; // offset in the file
    bool is_writable, is_executable, is_shared;
    const char *path; // "" where there is none
};

struct memory_map {
    struct mapping *items; // ascending
    size_t n;
};

// False where the process is gone.
bool memory_map_read(struct arena *arena, int pid, struct memory_map *map);

const struct mapping *memory_map_find(const struct memory_map *map,
                                      uint64_t address); // null: nothing is there

// Address in memory of the ELF file's address 0. False where it is not mapped.
bool memory_map_load_address(const struct memory_map *map, const char *path, uint64_t *address);

#endif
