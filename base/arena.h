// Memory with one lifetime. Everything allocated from an arena is freed at once, by arena_free; nothing
// is freed alone, so ownership is read from a function's signature. Not a general allocator and not
// thread-safe: one arena belongs to one thread at a time.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

// A zeroed struct is an empty arena, ready for use.
struct arena {
    struct arena_block *block; // the block that serves the next allocation; older ones are linked behind it
};

// Returns `bytes` zeroed bytes, aligned for any type. Never null: without memory the program says so and exits 1.
void *arena_alloc(struct arena *arena, size_t bytes);

// An array of `count` zeroed elements.
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))
#define ARENA_NEW(arena, type) ARENA_ARRAY(arena, type, 1)
void *arena_alloc_array(struct arena *arena, size_t count, size_t element_bytes);

// Room for element `count` of a growing array: returns `array`, or a copy of twice its room (at least 8).
// The room of an array grown only this way follows from its count, so no capacity is kept:
//     items = arena_grow(arena, items, n_items, sizeof *items);
//     items[n_items++] = item;
void *arena_grow(struct arena *arena, void *array, size_t count, size_t element_bytes);

// A zero-terminated copy of the first `length` bytes of `text`.
char *arena_copy(struct arena *arena, const char *text, size_t length);
char *arena_strdup(struct arena *arena, const char *text);

char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3), nonnull));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0), nonnull));

// As arena_free, but keeps the newest block for what comes next: a loop need not ask malloc for each turn.
void arena_reset(struct arena *arena);

// Frees everything the arena gave out; the arena is empty afterwards and may be used again.
void arena_free(struct arena *arena);

#endif
