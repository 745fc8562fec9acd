#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK_BYTES = 16 << 10 };

struct arena_block {
    struct arena_block *older;
    size_t used, room; // used bytes of `data`, and its size
    alignas(max_align_t) char data[];
};

static void *checked_malloc(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "cyclops: error: out of memory (%zu bytes wanted)\n", bytes);
        exit(1);
    }
    return memory;
}

// Adds a block of twice the size of the last one, so that n allocations need log n calls of malloc.
static struct arena_block *block_new(struct arena *arena, size_t at_least) {
    size_t room = arena->block ? arena->block->room * 2 : FIRST_BLOCK_BYTES;
    if (room < at_least)
        room = at_least;
    struct arena_block *block = checked_malloc(sizeof *block + room);
    *block = (struct arena_block){.older = arena->block, .room = room};
    arena->block = block;
    return block;
}

void *arena_alloc_uncleared(struct arena *arena, size_t bytes) {
    const size_t align = alignof(max_align_t);
    assert(bytes <= SIZE_MAX / 4);
    bytes = (bytes + align - 1) / align * align;
    struct arena_block *block = arena->block;
    if (!block || block->room - block->used < bytes)
        block = block_new(arena, bytes);
    void *memory = block->data + block->used;
    block->used += bytes;
    return memory;
}

void *arena_alloc(struct arena *arena, size_t bytes) {
    return memset(arena_alloc_uncleared(arena, bytes), 0, bytes);
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t element_bytes) {
    assert(element_bytes == 0 || count <= SIZE_MAX / 4 / element_bytes);
    return arena_alloc(arena, count * element_bytes);
}

void *arena_grow(struct arena *arena, void *array, size_t count, size_t element_bytes) {
    enum { FIRST_ROOM = 8 };
    bool is_full = count == 0 || (count >= FIRST_ROOM && (count & (count - 1)) == 0);
    if (!is_full)
        return array;
    void *larger = arena_alloc_array(arena, count ? count * 2 : FIRST_ROOM, element_bytes);
    if (count)
        memcpy(larger, array, count * element_bytes);
    return larger;
}

char *arena_copy(struct arena *arena, const char *text, size_t length) {
    char *copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text) {
    return arena_copy(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    assert(length >= 0);
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

static void free_blocks(struct arena_block *block) {
    while (block) {
        struct arena_block *older = block->older;
        free(block);
        block = older;
    }
}

void arena_reset(struct arena *arena) {
    struct arena_block *newest = arena->block;
    if (!newest)
        return;
    free_blocks(newest->older);
    newest->older = NULL;
    newest->used = 0;
}

void arena_free(struct arena *arena) {
    free_blocks(arena->block);
    arena->block = NULL;
}
