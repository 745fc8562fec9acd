#include "analyzer/views/tally.h"

#include <string.h>

enum { FIRST_ROOM = 16 };

static void grow(struct tally *tally, size_t n) {
    if (n > tally->room) {
        size_t room = 2 * n > FIRST_ROOM ? 2 * n : FIRST_ROOM;
        uint64_t *both = ARENA_ARRAY(tally->arena, uint64_t, 2 * room);
        if (tally->n != 0) {
            memcpy(both, tally->counts, tally->n * sizeof *both);
            memcpy(both + room, tally->marked, tally->n * sizeof *both);
        }
        tally->counts = both;
        tally->marked = both + room;
        tally->room = room;
    }
    tally->n = n;
}

void tally_add(struct tally *tally, size_t which, uint64_t count) {
    if (which >= tally->n)
        grow(tally, which + 1);
    tally->counts[which] += count;
}

uint64_t tally_get(const struct tally *tally, size_t which) {
    return which < tally->n ? tally->counts[which] : 0;
}

uint64_t tally_sum(const struct tally *tally) {
    uint64_t sum = 0;
    for (size_t i = 0; i < tally->n; i++)
        sum += tally->counts[i];
    return sum;
}

void tally_mark(struct tally *tally) {
    if (tally->n != 0)
        memcpy(tally->marked, tally->counts, tally->n * sizeof *tally->counts);
}

void tally_repeat(struct tally *tally, uint64_t times) {
    for (size_t i = 0; i < tally->n; i++)
        tally->counts[i] += times * (tally->counts[i] - tally->marked[i]);
}

void level_see(struct level *level) {
    if (level->now > level->highest)
        level->highest = level->now;
}

void level_end_cycle(struct level *level) {
    level_see(level);
    level->sum += level->now;
}

void level_mark(struct level *level) {
    level->marked_sum = level->sum;
}

void level_repeat(struct level *level, uint64_t times) {
    level->sum += times * (level->sum - level->marked_sum);
}
