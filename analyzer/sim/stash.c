#include "analyzer/sim/stash.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { FIRST_BLOCK_BYTES = 64 << 10, ALIGNMENT = 64 };

static void block_new(struct stash *stash, size_t at_least) {
    size_t room = stash->room != 0 ? stash->room * 2 : FIRST_BLOCK_BYTES;
    while (room < at_least)
        room *= 2;
    char *memory = arena_alloc_uncleared(&stash->arena, room + ALIGNMENT);
    stash->block = memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT);
    stash->used = 0;
    stash->room = room;
}

void *stash_array(struct stash *stash, size_t count, size_t element_bytes) {
    assert(element_bytes != 0 && count <= SIZE_MAX / 8 / element_bytes);
    size_t bytes = (count * element_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (stash->room - stash->used < bytes)
        block_new(stash, bytes);
    void *memory = stash->block + stash->used;
    stash->used += bytes;
    return memory;
}

void *stash_zeroed(struct stash *stash, size_t count, size_t element_bytes) {
    return memset(stash_array(stash, count, element_bytes), 0, count * element_bytes);
}

// Blocks double, so those before the last are together no larger than it: they are kept too, unused.
void stash_reset(struct stash *stash) {
    stash->used = 0;
}

void stash_free(struct stash *stash) {
    arena_free(&stash->arena);
    *stash = (struct stash){.block = NULL};
}
