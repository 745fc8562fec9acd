// What a number was at some points of another one, which grows.
#ifndef HOT_COURSE_H
#define HOT_COURSE_H

#include "base/arena.h"

#include <stddef.h>

struct course { // all zero but the arena
    struct arena *arena;
    struct course_point {
        double at, value;
    } * points;
    size_t n;
};

void course_note(struct course *course, double at, double value); // ascending
// Between two points, by a line; before the first one and behind the last one, what these have. 0: there are no points.
double course_at(const struct course *course, double at);

#endif
