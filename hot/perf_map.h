// Private to this folder.
// The map that a JIT leaves for perf, /tmp/perf-PID.map: a line "START SIZE NAME" for each function that it made, with
// hexadecimal numbers.
#ifndef HOT_PERF_MAP_H
#define HOT_PERF_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map {
    struct perf_map_entry {
        uint64_t begin, end;
        const char *name;
        size_t number; // of its line
    } * entries;       // in the order of their addresses; the last made is the last of equal ones
    size_t n;
};

// The path of a process's map; null: there is none.
const char *perf_map_path(struct arena *arena, int pid);
bool perf_map_is_path(const char *path);

// Reads one that is this user's, or root's: else anybody could name functions. What is no such line is left out. False:
// there is none.
bool perf_map_read(struct arena *arena, const char *path, struct perf_map *map);

// Name of the function at an address; null: none is there.
const char *perf_map_find(const struct perf_map *map, uint64_t address);

#endif
