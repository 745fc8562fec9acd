// Finds items of an array by a key: a hash table of their numbers. The items, and what makes two keys equal, are the
// caller's:
//
//     for (size_t place = 0, i; (i = index_next(&names, bytes_hash(name, strlen(name)), &place)) != INDEX_END;)
//         if (strcmp(items[i].name, name) == 0)
//             return &items[i];
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

// All zero but the arena: it is empty.
struct index {
    struct arena *arena; // outlives it
    struct index_slot {
        uint64_t hash;
        size_t number; // of the item, from 1; 0: empty
    } * slots;
    size_t n_slots, n; // n_slots: a power of two, at least twice n
};

#define INDEX_END SIZE_MAX

// Adds an item by its number, from 0. Does not look whether it is there.
void index_add(struct index *index, uint64_t hash, size_t number);

// Returns the number of the next item with this hash; INDEX_END: there are no more. `place`: 0 before the first one;
// nothing may be added in between.
size_t index_next(const struct index *index, uint64_t hash, size_t *place);

#endif
