#include "hot/vector_layout.h"

#include <string.h>

enum { LEGACY = 512, HEADER = 64 }; // bytes of an area; x87 and SSE are in the first, on all CPUs

static const struct {
    unsigned component; // number of the bit in the header
    uint32_t n_bytes;
} parts[VECTOR_PARTS] = {[VECTOR_YMM_HIGH] = {2, 256},
                         [VECTOR_MASKS] = {5, 64},
                         [VECTOR_ZMM_HIGH] = {6, 512},
                         [VECTOR_HIGH_ZMM] = {7, 1024}};

#if defined(__x86_64__)
#include <cpuid.h>

struct vector_layout vector_layout_here(void) {
    enum { LEAF = 0xd };
    struct vector_layout layout = {{0}};
    for (unsigned i = 0; i < VECTOR_PARTS; i++) {
        unsigned size, offset, c, d;
        if (__get_cpuid_count(LEAF, parts[i].component, &size, &offset, &c, &d) && size >= parts[i].n_bytes)
            layout.at[i] = offset;
    }
    return layout;
}
#else
struct vector_layout vector_layout_here(void) {
    return (struct vector_layout){{0}};
}
#endif

static bool has_room(const struct vector_layout *layout, unsigned part, size_t n_bytes) {
    return layout->at[part] >= LEGACY + HEADER && layout->at[part] + (size_t)parts[part].n_bytes <= n_bytes;
}

bool vector_layout_fits(const struct vector_layout *layout, const uint8_t *area, size_t n_bytes) {
    uint64_t used;
    if (n_bytes < LEGACY + HEADER)
        return false;
    memcpy(&used, area + LEGACY, sizeof used);
    for (unsigned i = 0; i < VECTOR_PARTS; i++)
        if ((used >> parts[i].component & 1) && !has_room(layout, i, n_bytes))
            return false;
    return true;
}

uint8_t *vector_layout_move(struct arena *arena, const uint8_t *area, size_t n_bytes, const struct vector_layout *from,
                            const struct vector_layout *to, size_t *n_moved) {
    size_t n = LEGACY + HEADER;
    for (unsigned i = 0; i < VECTOR_PARTS; i++)
        if (to->at[i] + (size_t)parts[i].n_bytes > n && to->at[i])
            n = to->at[i] + (size_t)parts[i].n_bytes;
    uint8_t *moved = ARENA_ARRAY(arena, uint8_t, n);
    memcpy(moved, area, LEGACY + HEADER);
    for (unsigned i = 0; i < VECTOR_PARTS; i++)
        if (has_room(from, i, n_bytes) && has_room(to, i, n))
            memcpy(moved + to->at[i], area + from->at[i], parts[i].n_bytes);
    *n_moved = n;
    return moved;
}
