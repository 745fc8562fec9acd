// Private to this folder.
// The points of a curve: the value of each number is asked for once, and they stand in ascending order.
#ifndef PARAMETERS_POINTS_H
#define PARAMETERS_POINTS_H

#include "parameters/session.h"

struct points {
    struct point {
        int x;
        const struct value *value; // a good one
    } * items;                     // ascending
    size_t n;
    bool is_missing; // a value is not measured yet
    const char *why; // why a value could not be measured; null: each could
};

// The position of a number; points->n: there is no such point.
size_t points_find(const struct points *points, int x);

// Adds what was asked for: a good value becomes a point. Null: the value is not measured yet.
void points_take(struct arena *arena, struct points *points, int x, const struct value *value);

// Adds the curve of these points to the card, as it is drawn: `head` has its name, axes and knee. `units`: of x in one
// number, by which the times are divided, too.
void points_draw(struct session *session, const struct points *points, double units, const struct card_curve *head);

#endif
