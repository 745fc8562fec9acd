// Memory with one lifetime. arena_free frees everything that an arena has allocated; single pieces are never freed. So
// a function's signature shows who owns its memory. Not a general allocator and not thread-safe: only one thread may
// use an arena at a time.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

// A zeroed struct is an empty arena, ready for use.
struct arena {
    struct arena_block *block; // block for the next allocation, linked to the older ones; null: none
};

// Returns `bytes` zeroed bytes, aligned for any type. Never null: without memory the program prints that and exits 1.
void *arena_alloc(struct arena *arena, size_t bytes);
// The same, with any content: for what is written before it is read, where clearing it would take long.
void *arena_alloc_uncleared(struct arena *arena, size_t bytes);

// Returns an array of `count` zeroed elements.
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))
#define ARENA_NEW(arena, type) ARENA_ARRAY(arena, type, 1)
void *arena_alloc_array(struct arena *arena, size_t count, size_t element_bytes);

// Makes room for element `count` of a growing array: returns `array`, or a copy with twice its room (at least 8). The
// room follows from the count where an array only grows this way, so there is no capacity to store:
//     items = arena_grow(arena, items, n_items, sizeof *items);
void *arena_grow(struct arena *arena, void *array, size_t count, size_t element_bytes);

// Adds an element to such an array, and is its address. What is assigned to it must not read `count`.
//     *ARENA_ADD(arena, items, n_items) = item;
#define ARENA_ADD(arena, array, count)                                                                                 \
    ((array) = arena_grow((arena), (array), (count), sizeof *(array)), &(array)[(count)++])

// Returns a zero-terminated copy of the first `length` bytes of `text`.
char *arena_copy(struct arena *arena, const char *text, size_t length);
char *arena_strdup(struct arena *arena, const char *text);

char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3), nonnull));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0), nonnull));

// As arena_free, but keeps the newest block: a loop need not call malloc in each turn.
void arena_reset(struct arena *arena);

// Frees everything that the arena has allocated. It is empty then, and may be used again.
void arena_free(struct arena *arena);

#endif
