#include "parameters/sweep.h"

enum { MOST_POINTS = 160 };

struct search {
    struct session *session;
    const struct sweep *sweep;
    struct card_point points[MOST_POINTS]; // x: copies; y: cycles per copy; ascending
    bool are_stable[MOST_POINTS];          // likewise
    unsigned n_points;
    bool is_missing;
    const char *why;
};

static const char *name_of(const struct search *search, int copies) {
    return arena_printf(search->session->arena, "%s.%d", search->sweep->name, copies);
}

static bool has(const struct search *search, int copies) {
    for (unsigned i = 0; i < search->n_points; i++)
        if ((int)search->points[i].x == copies)
            return true;
    return false;
}

static void probe(struct search *search, int copies) {
    if (has(search, copies) || search->n_points == MOST_POINTS)
        return;
    const struct timing timing = {.name = name_of(search, copies),
                                  .body = search->sweep->body,
                                  .writes = search->sweep->writes,
                                  .unroll = (unsigned)copies,
                                  .is_rough = true};
    const struct value *value = session_value(search->session, &timing);
    if (!value) {
        search->is_missing = true;
        return;
    }
    if (!value->is_good) {
        search->why = value->why;
        return;
    }
    unsigned at = search->n_points++;
    for (; at > 0 && search->points[at - 1].x > copies; at--) {
        search->points[at] = search->points[at - 1];
        search->are_stable[at] = search->are_stable[at - 1];
    }
    search->are_stable[at] = value->is_stable;
    search->points[at] = (struct card_point){copies, value->cycles, value->low, value->high};
}

// Median of the stable ones of the first points; 0: none is.
static double find_base(const struct search *search) {
    double first[MOST_POINTS];
    unsigned n = search->sweep->n_base < search->n_points ? search->sweep->n_base : search->n_points;
    unsigned n_stable = 0;
    for (unsigned i = 0; i < n; i++)
        if (search->are_stable[i])
            first[n_stable++] = search->points[i].y;
    return n_stable ? median_of(first, n_stable) : 0;
}

// The step lies between the last point before the first one that has risen, and the first one after the last that has
// not. Points that noise has lifted or lowered widen this.
//
// Returns the first risen point, stable or not: finer points are of use up to there.
static int settle(const struct search *search, struct step *step) {
    unsigned n = search->n_points, first_risen = n, behind_low = 0;
    for (unsigned i = n; i-- > 0;)
        if (search->points[i].y > search->sweep->rise * step->base)
            first_risen = i;
    for (unsigned i = 0; i < n; i++)
        if (search->points[i].y <= search->sweep->rise * step->base)
            behind_low = i + 1;
    int risen = behind_low < n ? (int)search->points[behind_low].x : 0;
    while (behind_low < n && !search->are_stable[behind_low]) // noise may have lifted it
        behind_low++;
    step->is_beyond = first_risen == n;
    step->low = first_risen > 0 && n ? (int)search->points[first_risen - 1].x : 0;
    step->high = behind_low < n ? (int)search->points[behind_low].x : 0;
    return risen;
}

static void add_curve(const struct search *search, const struct step *step) {
    struct session *session = search->session;
    struct card_curve curve = {
        .name = search->sweep->name, .x = "instructions of straight code", .y = "cycles per instruction"};
    double units = search->sweep->units;
    for (unsigned i = 0; i < search->n_points; i++) {
        const struct card_point *p = &search->points[i];
        *ARENA_ADD(session->arena, curve.points, curve.n_points) =
            (struct card_point){p->x * units, p->y / units, p->low / units, p->high / units};
    }
    if (step->is_known && !step->is_beyond && !step->why) {
        curve.knee_low = step->low * units;
        curve.knee_high = step->high * units;
    }
    *ARENA_ADD(session->arena, session->card.curves, session->card.n_curves) = curve;
}

struct step sweep_find(struct session *session, const struct sweep *sweep) {
    enum { PARTS = 6, FINEST = 100 };
    struct search search = {.session = session, .sweep = sweep};
    struct step step = {0};
    for (unsigned i = 0; i < sweep->n_grid; i++)
        probe(&search, sweep->grid[i]);
    step.base = find_base(&search);
    int risen = settle(&search, &step);
    for (int width = risen - step.low; !search.is_missing && step.low > 0 && width > 1 + risen / FINEST;
         width = risen - step.low) {
        int from = step.low, part = (width + PARTS - 1) / PARTS;
        for (int k = from + part; k < from + width; k += part)
            probe(&search, k);
        risen = settle(&search, &step);
        if (risen - step.low >= width)
            break;
    }
    for (unsigned i = 0; i < search.n_points; i++)
        if (i < sweep->n_base ||
            (search.points[i].x >= step.low && (step.high <= 0 || search.points[i].x <= step.high)))
            session_doubt(session, name_of(&search, (int)search.points[i].x));
    step.is_known = !search.is_missing;
    step.last = search.n_points ? search.points[search.n_points - 1].y : 0;
    if (search.n_points < sweep->n_grid * 3 / 4)
        step.why = search.why ? search.why : "too few points could be measured";
    else if (step.base <= 0)
        step.why = "no point at its begin is stable";
    else if (step.is_beyond && !has(&search, sweep->grid[sweep->n_grid - 1]))
        step.why = "the largest could not be measured";
    else if (!step.is_beyond && step.low > 0 && risen > 0 && step.high <= 0)
        step.why = "more have no steady time";
    else if (!step.is_beyond && (step.low <= 0 || step.high <= 0))
        step.why = "the curve has no step";
    else if (!step.is_beyond && step.high > 2 * step.low)
        step.why = "the curve rises slowly, or noise hides its step";
    if (step.is_known)
        add_curve(&search, &step);
    return step;
}
