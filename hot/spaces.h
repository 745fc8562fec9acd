// Private to this folder.
// Address spaces of processes: which file is where. Mappings come in the order of time, as a profiler records them.
#ifndef HOT_SPACES_H
#define HOT_SPACES_H

#include "hot/gather.h"

struct space_map {
    uint64_t begin, end, offset; // in memory; in the file
    unsigned module;
};

// All zero but `gather`.
struct spaces {
    struct gather *gather;
    struct space {
        int pid;
        struct space_map *maps;
        size_t n_maps;
    } * items;
    size_t n;
};

void spaces_map(struct spaces *spaces, int pid, const struct space_map *map);
void spaces_fork(struct spaces *spaces, int pid, int parent);
void spaces_exec(struct spaces *spaces, int pid); // the process has another program from here on
// Reads /proc/PID/maps; false: it is not there.
bool spaces_read(struct spaces *spaces, int pid);
bool spaces_has(const struct spaces *spaces, int pid); // something is known of it

// Finds what is at an address of memory. `pid`: where nothing is known of it, any other process will do. False: nothing
// is known there.
bool spaces_find(struct spaces *spaces, int pid, uint64_t address, struct hot_place *place);

#endif
