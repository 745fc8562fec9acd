// What a group of dispatch, renamed in one cycle, holds besides slots: it ends before an instruction that it has no
// room for. A group begins as {.taken = DISPATCH_NOTHING}.
#ifndef ANALYZER_CPU_DISPATCH_GROUP_H
#define ANALYZER_CPU_DISPATCH_GROUP_H

#include <stdbool.h>
#include <stdint.h>

// Sets of pipes that its operations can have, each a pipe of its own: bit S stands for the set whose pipes are the bits
// of S. So up to six pipes fit.
enum { DISPATCH_MOST_PIPES = 6, DISPATCH_NOTHING = 1 };

enum { DISPATCH_MOST_OPERATIONS = 2 }; // of one instruction

// What an instruction takes of a group.
struct dispatch_need {
    unsigned fields; // of CPU_DISPATCH_FIELDS; 0 where the block adjusts no stack pointer
    // Of CPU_DISPATCHES_APART: pipes that each of its operations may be given, numbered in the block; then 0.
    unsigned pipes[DISPATCH_MOST_OPERATIONS];
};

struct dispatch_group {
    unsigned fields; // up to the most
    uint64_t taken;
};

// The sets with one more operation, which may have any of `pipes`; 0: none of these is left for it.
static inline uint64_t dispatch_take(uint64_t taken, unsigned pipes) {
    static const uint64_t without[DISPATCH_MOST_PIPES] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                                          0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    uint64_t sets = 0;
    for (unsigned p = 0; p < DISPATCH_MOST_PIPES; p++)
        if (pipes >> p & 1)
            sets |= (taken & without[p]) << (1U << p);
    return sets;
}

static inline uint64_t dispatch_take_all(uint64_t taken, const struct dispatch_need *need) {
    for (unsigned i = 0; i < DISPATCH_MOST_OPERATIONS && need->pipes[i]; i++)
        taken = dispatch_take(taken, need->pipes[i]);
    return taken;
}

static inline bool dispatch_group_has_room(const struct dispatch_group *group, const struct dispatch_need *need,
                                           unsigned most_fields) {
    return !(group->fields && need->fields && group->fields + need->fields > most_fields) &&
           dispatch_take_all(group->taken, need);
}

static inline void dispatch_group_add(struct dispatch_group *group, const struct dispatch_need *need,
                                      unsigned most_fields) {
    const unsigned fields = group->fields + need->fields;
    group->fields = fields < most_fields ? fields : most_fields;
    group->taken = dispatch_take_all(group->taken, need);
}

#endif
