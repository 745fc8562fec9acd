#include "analyzer/sim/mca/wheel.h"

enum { MIN_WHEEL = 64, MAX_WHEEL = 1024 };

void wheel_init(struct wheel *wheel, uint64_t longest, struct stash *stash) {
    uint64_t size = MIN_WHEEL;
    while (size <= longest && size < MAX_WHEEL)
        size *= 2;
    wheel->first = STASH_ARRAY(stash, uint32_t, size);
    wheel->mask = size - 1;
    for (uint64_t i = 0; i < size; i++)
        wheel->first[i] = NO_SLOT;
}

void wheel_add(struct wheel *wheel, struct in_flight *insn, uint32_t slot, int64_t cycle) {
    uint32_t *first = &wheel->first[(uint64_t)cycle & wheel->mask];
    insn->after = *first;
    *first = slot;
}

uint32_t wheel_take(struct wheel *wheel, int64_t cycle) {
    uint32_t *first = &wheel->first[(uint64_t)cycle & wheel->mask];
    uint32_t slot = *first;
    *first = NO_SLOT;
    return slot;
}
