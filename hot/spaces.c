#include "hot/spaces.h"

#include "hot/memory_map.h"
#include "hot/perf_map.h"

static struct space *find_space(const struct spaces *spaces, int pid) {
    for (size_t i = spaces->n; i-- > 0;)
        if (spaces->items[i].pid == pid)
            return &spaces->items[i];
    return NULL;
}

static struct space *make_space(struct spaces *spaces, int pid) {
    struct space *space = find_space(spaces, pid);
    if (!space) {
        space = ARENA_ADD(spaces->gather->arena, spaces->items, spaces->n);
        *space = (struct space){.pid = pid};
    }
    return space;
}

void spaces_map(struct spaces *spaces, int pid, const struct space_map *map) {
    struct space *space = make_space(spaces, pid);
    if (map->end > map->begin)
        *ARENA_ADD(spaces->gather->arena, space->maps, space->n_maps) = *map;
}

void spaces_fork(struct spaces *spaces, int pid, int parent) {
    struct space *child = make_space(spaces, pid);
    const struct space *from = find_space(spaces, parent);
    if (pid == parent || !from || child->n_maps)
        return; // a thread
    for (size_t i = 0; i < from->n_maps; i++)
        *ARENA_ADD(spaces->gather->arena, child->maps, child->n_maps) = from->maps[i];
}

void spaces_exec(struct spaces *spaces, int pid) {
    struct space *space = make_space(spaces, pid);
    space->maps = NULL;
    space->n_maps = 0;
}

bool spaces_has(const struct spaces *spaces, int pid) {
    const struct space *space = find_space(spaces, pid);
    return space && space->n_maps;
}

bool spaces_read(struct spaces *spaces, int pid) {
    struct arena arena = {0};
    struct memory_map all;
    const bool is_there = memory_map_read(&arena, pid, &all);
    for (size_t i = 0; i < all.n; i++) {
        const struct mapping *mapping = &all.items[i];
        if (!mapping->is_executable)
            continue;
        const struct space_map map = {
            .begin = mapping->begin,
            .end = mapping->end,
            .offset = mapping->offset,
            .module = gather_module(spaces->gather, *mapping->path ? mapping->path : "//anon", NULL),
        };
        spaces_map(spaces, pid, &map);
    }
    arena_free(&arena);
    return is_there;
}

static bool find_in(struct spaces *spaces, const struct space *space, uint64_t address, struct hot_place *place) {
    for (size_t i = space->n_maps; i-- > 0;) {
        const struct space_map *map = &space->maps[i];
        if (address < map->begin || address >= map->end)
            continue;
        const struct hot_image *image = gather_image(spaces->gather, map->module);
        *place = (struct hot_place){map->module, address};
        uint64_t offset = address - map->begin + map->offset;
        if (spaces->gather->modules[map->module].kind == HOT_FILE &&
            !(image && hot_image_address(image, offset, &place->address)))
            place->address = offset;
        return true;
    }
    return false;
}

// Code that a process made is of its JIT's map, where there is one.
static void name_module(struct spaces *spaces, int pid, struct hot_place *place) {
    struct arena scratch = {0};
    const char *path = spaces->gather->modules[place->module].kind == HOT_JIT ? perf_map_path(&scratch, pid) : NULL;
    if (path)
        place->module = gather_module(spaces->gather, path, NULL);
    arena_free(&scratch);
}

bool spaces_find(struct spaces *spaces, int pid, uint64_t address, struct hot_place *place) {
    const struct space *own = find_space(spaces, pid);
    if (own && own->n_maps) {
        const bool is_found = find_in(spaces, own, address, place);
        if (is_found)
            name_module(spaces, pid, place);
        return is_found;
    }
    for (size_t i = spaces->n; i-- > 0;)
        if (find_in(spaces, &spaces->items[i], address, place))
            return true;
    return false;
}
