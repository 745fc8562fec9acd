#include "parameters/points.h"

size_t points_find(const struct points *points, int x) {
    size_t i = 0;
    while (i < points->n && points->items[i].x != x)
        i++;
    return i;
}

void points_take(struct arena *arena, struct points *points, int x, const struct value *value) {
    if (!value)
        points->is_missing = true;
    else if (!value->is_good)
        points->why = value->why;
    if (!value || !value->is_good || points_find(points, x) < points->n)
        return;
    const struct point point = {x, value};
    *ARENA_ADD(arena, points->items, points->n) = point;
    for (size_t at = points->n - 1; at > 0 && points->items[at - 1].x > x; at--) {
        points->items[at] = points->items[at - 1];
        points->items[at - 1] = point;
    }
}

void points_draw(struct session *session, const struct points *points, double units, const struct card_curve *head) {
    struct card_curve curve = *head;
    for (size_t i = 0; i < points->n; i++) {
        const struct value *value = points->items[i].value;
        *ARENA_ADD(session->arena, curve.points, curve.n_points) = (struct card_point){
            points->items[i].x * units, value->cycles / units, value->low / units, value->high / units};
    }
    *ARENA_ADD(session->arena, session->card.curves, session->card.n_curves) = curve;
}
