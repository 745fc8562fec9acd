// What a group of dispatch, renamed in one cycle, holds besides slots: it ends before an instruction that it has no
// room for. A group begins as {.taken = DISPATCH_NOTHING}.
#ifndef ANALYZER_CPU_DISPATCH_GROUP_H
#define ANALYZER_CPU_DISPATCH_GROUP_H

#include <stdbool.h>
#include <stdint.h>

// Sets of pipes that its operations can have, each a pipe of its own: bit S stands for the set whose pipes are the bits
// of S. So up to six pipes fit.
enum { DISPATCH_MOST_PIPES = 6, DISPATCH_NOTHING = 1 };

struct dispatch_group {
    unsigned fields; // of CPU_DISPATCH_FIELDS, up to the most
    uint64_t taken;
};

// The sets with one more operation, which may have any of `pipes`; 0: it has none of its own.
static inline uint64_t dispatch_take(uint64_t taken, unsigned pipes) {
    static const uint64_t without[DISPATCH_MOST_PIPES] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                                          0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    uint64_t sets = 0;
    for (unsigned p = 0; p < DISPATCH_MOST_PIPES; p++)
        if (pipes >> p & 1)
            sets |= (taken & without[p]) << (1U << p);
    return sets;
}

// For `fields` more, and an operation that may have any of `pipes`.
static inline bool dispatch_group_has_room(const struct dispatch_group *group, unsigned fields, unsigned pipes,
                                           unsigned most_fields) {
    return !(group->fields && fields && group->fields + fields > most_fields) &&
           (!pipes || dispatch_take(group->taken, pipes));
}

static inline void dispatch_group_add(struct dispatch_group *group, unsigned fields, unsigned pipes,
                                      unsigned most_fields) {
    fields += group->fields;
    group->fields = fields < most_fields ? fields : most_fields;
    if (pipes)
        group->taken = dispatch_take(group->taken, pipes);
}

#endif
