#include "parameters/sweep.h"

#include "parameters/points.h"

struct search {
    struct session *session;
    const struct sweep *sweep;
    struct points points; // by copies; cycles per copy
};

static const char *name_of(const struct search *search, int copies) {
    return arena_printf(search->session->arena, "%s.%d", search->sweep->name, copies);
}

static void probe(struct search *search, int copies) {
    if (points_find(&search->points, copies) < search->points.n)
        return;
    const struct timing timing = {.name = name_of(search, copies),
                                  .body = search->sweep->body,
                                  .writes = search->sweep->writes,
                                  .unroll = (unsigned)copies,
                                  .is_rough = true};
    points_take(search->session->arena, &search->points, copies, session_value(search->session, &timing));
}

// Median of the stable ones of the first points; 0: none is.
static double find_base(const struct search *search) {
    double *first = ARENA_ARRAY(search->session->arena, double, search->sweep->n_base + 1);
    unsigned n_stable = 0;
    for (size_t i = 0; i < search->sweep->n_base && i < search->points.n; i++)
        if (search->points.items[i].value->is_stable)
            first[n_stable++] = search->points.items[i].value->cycles;
    return n_stable ? median_of(first, n_stable) : 0;
}

// The step lies between the last point before the first one that has risen, and the first one after the last that has
// not. Points that noise has lifted or lowered widen this.
//
// Returns the first risen point, stable or not: finer points are of use up to there.
static int settle(const struct search *search, struct step *step) {
    const struct point *points = search->points.items;
    size_t n = search->points.n, first_risen = n, behind_low = 0;
    for (size_t i = n; i-- > 0;)
        if (points[i].value->cycles > search->sweep->rise * step->base)
            first_risen = i;
    for (size_t i = 0; i < n; i++)
        if (points[i].value->cycles <= search->sweep->rise * step->base)
            behind_low = i + 1;
    int risen = behind_low < n ? points[behind_low].x : 0;
    while (behind_low < n && !points[behind_low].value->is_stable) // noise may have lifted it
        behind_low++;
    step->is_beyond = first_risen == n;
    step->low = first_risen > 0 && n ? points[first_risen - 1].x : 0;
    step->high = behind_low < n ? points[behind_low].x : 0;
    return risen;
}

static void add_curve(const struct search *search, const struct step *step) {
    double units = search->sweep->units;
    struct card_curve curve = {
        .name = search->sweep->name, .x = "instructions of straight code", .y = "cycles per instruction"};
    if (step->is_known && !step->is_beyond && !step->why) {
        curve.knee_low = step->low * units;
        curve.knee_high = step->high * units;
    }
    points_draw(search->session, &search->points, units, &curve);
}

// Why the step is not determined; null: it is. `risen`: where settle found the curve to have risen.
static const char *find_doubt(const struct search *search, const struct step *step, int risen) {
    const struct sweep *sweep = search->sweep;
    const struct points *points = &search->points;
    if (points->n < sweep->n_grid * 3 / 4)
        return points->why ? points->why : "too few points could be measured";
    if (step->base <= 0)
        return "no point at its begin is stable";
    if (step->is_beyond)
        return points_find(points, sweep->grid[sweep->n_grid - 1]) == points->n ? "the largest could not be measured"
                                                                                : NULL;
    if (step->low > 0 && risen > 0 && step->high <= 0)
        return arena_printf(search->session->arena, "more have no steady time; step seen near %.0f to %.0f",
                            step->low * (double)sweep->units, risen * (double)sweep->units);
    if (step->low <= 0 || step->high <= 0)
        return "the curve has no step";
    return step->high > 2 * step->low ? "the curve rises slowly, or noise hides its step" : NULL;
}

struct step sweep_find(struct session *session, const struct sweep *sweep) {
    enum { PARTS = 6, FINEST = 100 };
    struct search search = {.session = session, .sweep = sweep};
    struct step step = {0};
    for (unsigned i = 0; i < sweep->n_grid; i++)
        probe(&search, sweep->grid[i]);
    step.base = find_base(&search);
    int risen = settle(&search, &step);
    for (int width = risen - step.low; !search.points.is_missing && step.low > 0 && width > 1 + risen / FINEST;
         width = risen - step.low) {
        int from = step.low, part = (width + PARTS - 1) / PARTS;
        for (int k = from + part; k < from + width; k += part)
            probe(&search, k);
        risen = settle(&search, &step);
        if (risen - step.low >= width)
            break;
    }
    const struct points *points = &search.points;
    for (size_t i = 0; i < points->n; i++)
        if (i < sweep->n_base ||
            (points->items[i].x >= step.low && (step.high <= 0 || points->items[i].x <= step.high)))
            session_doubt(session, name_of(&search, points->items[i].x));
    step.is_known = !search.points.is_missing;
    step.last = points->n ? points->items[points->n - 1].value->cycles : 0;
    step.why = find_doubt(&search, &step, risen);
    if (step.is_known)
        add_curve(&search, &step);
    return step;
}
