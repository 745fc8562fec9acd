#include "base/index.h"

enum { FIRST_SLOTS = 64 };

// The slot to look at, `place` slots behind the hash's own. Products and sums leave their mark in the upper bits.
static struct index_slot *slot_at(const struct index *index, uint64_t hash, size_t place) {
    return &index->slots[((hash ^ hash >> 32) + place) & (index->n_slots - 1)];
}

static void put(const struct index *index, uint64_t hash, size_t number) {
    size_t place = 0;
    while (slot_at(index, hash, place)->number)
        place++;
    *slot_at(index, hash, place) = (struct index_slot){hash, number};
}

static void grow(struct index *index) {
    const struct index old = *index;
    index->n_slots = old.n_slots ? 2 * old.n_slots : FIRST_SLOTS;
    index->slots = ARENA_ARRAY(index->arena, struct index_slot, index->n_slots);
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].number)
            put(index, old.slots[i].hash, old.slots[i].number);
}

void index_add(struct index *index, uint64_t hash, size_t number) {
    if (2 * (index->n + 1) > index->n_slots)
        grow(index);
    put(index, hash, number + 1);
    index->n++;
}

size_t index_next(const struct index *index, uint64_t hash, size_t *place) {
    while (index->n_slots) {
        const struct index_slot *slot = slot_at(index, hash, (*place)++);
        if (!slot->number)
            break;
        if (slot->hash == hash)
            return slot->number - 1;
    }
    return INDEX_END;
}
