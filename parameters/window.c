// The curve of a window: a coarse grid of numbers of fillers, then a finer one where it rises. The knee is where the
// fewest points are on the wrong side.
#include "parameters/window.h"

#include "parameters/points.h"

#include <stdlib.h>
#include <string.h>

static const char *feature_of(const struct session *session, const struct window *window) {
    for (unsigned i = 0; i < window->n_lines; i++) {
        enum recipe_line line = window->lines[i];
        if (line == LINE_MASK)
            return session->recipe->mask_feature;
        if (line == LINE_VECTOR || line == LINE_VECTOR_WAITS || line == LINE_LOAD_WIDE || line == LINE_VECTOR_MOVE)
            return session->recipe->vector_feature;
    }
    return NULL;
}

const char *window_why_not(const struct fillers *fillers, const struct window *window) {
    for (unsigned i = 0; i < window->n_lines; i++)
        if (!fillers->lines[window->lines[i]])
            return fillers->why[window->lines[i]];
    if (window->leading && !fillers->lines[LINE_LOAD_WAITS])
        return fillers->why[LINE_LOAD_WAITS];
    return NULL;
}

static void add_half(const struct fillers *fillers, const struct window *window, const char *chase, unsigned k,
                     struct text *body) {
    const char *const *lines = fillers->lines;
    recipe_add(body, lines[LINE_STEP], 0, chase);
    for (unsigned i = 0; i < window->leading; i++)
        recipe_add(body, lines[LINE_LOAD_WAITS], i, chase);
    for (unsigned i = 0; i < window->more_leads; i++)
        recipe_add(body, lines[LINE_LOAD_WIDE_WAITS], i, chase);
    if (window->leads != LINE_STEP)
        recipe_add(body, lines[window->leads], 0, chase);
    for (unsigned i = 0; i < k; i++)
        recipe_add(body, lines[window->lines[i % window->n_lines]], i / window->n_lines, chase);
}

// What the names of its trials begin with. Those of other candidates are others: a journal may hold both.
static const char *prefix_of(const struct session *session, const struct fillers *fillers,
                             const struct window *window) {
    unsigned candidate = 0;
    for (unsigned i = 0; i < window->n_lines; i++)
        if (fillers->candidate[window->lines[i]] > candidate)
            candidate = fillers->candidate[window->lines[i]];
    return candidate ? arena_printf(session->arena, "window.%s-%u.", window->name, candidate + 1)
                     : arena_printf(session->arena, "window.%s.", window->name);
}

static const char *name_of(const struct session *session, const struct fillers *fillers, const struct window *window,
                           unsigned k) {
    return arena_printf(session->arena, "%s%u", prefix_of(session, fillers, window), k);
}

const struct value *window_ask(struct session *session, const struct fillers *fillers, const struct window *window,
                               unsigned k) {
    struct text body = {.arena = session->arena};
    const char *name = name_of(session, fillers, window, k);
    if (!session_knows(session, name)) {
        add_half(fillers, window, "p", k, &body);
        add_half(fillers, window, "q", k, &body);
    }
    const struct timing trial = {.name = name,
                                 .body = body.data,
                                 .feature = feature_of(session, window),
                                 .unroll = k < 32 ? 64 / (k + 1) + 1 : 1,
                                 .is_rough = true};
    return session_value(session, &trial);
}

// Below: both misses together. Above: in turn. Between: not sure.
enum side { BELOW, BETWEEN, ABOVE };

static enum side side_of(const struct levels *levels, const struct value *value) {
    static const double below = 0.4, above = 0.6;
    double step = levels->two - levels->one;
    if (value->high < levels->one + below * step)
        return BELOW;
    if (value->low > levels->one + above * step)
        return ABOVE;
    double share = (value->cycles - levels->one) / step;
    return share < 0.25 ? BELOW : share > 0.75 ? ABOVE : BETWEEN;
}

// How certain the side of a point is. UNSURE: a neighbour was there, or the interval holds both sides.
enum trust { UNSURE, SURE, STABLE };

// Misses have no steady time where other programs use the same memory, but whole intervals on one side of the step.
static enum trust trust_of(const struct levels *levels, const struct value *value) {
    double middle = (levels->one + levels->two) / 2;
    bool is_clear = value->high < middle || value->low > middle;
    return value->is_stable ? STABLE : value->is_alone && is_clear ? SURE : UNSURE;
}

// One search: what is known of the curve so far.
struct search {
    struct session *session;
    const struct fillers *fillers;
    const struct window *window;
    const struct levels *levels;
    struct points points; // by fillers
    int below, above;     // largest k that is below; smallest that is above; see settle
    bool is_step;
};
enum { NONE = 1 << 20 };

static enum side side_at(const struct search *search, size_t point) {
    return side_of(search->levels, search->points.items[point].value);
}

static enum trust trust_at(const struct search *search, size_t point) {
    return trust_of(search->levels, search->points.items[point].value);
}

static void probe(struct search *search, int k) {
    if (points_find(&search->points, k) == search->points.n)
        points_take(search->session->arena, &search->points, k,
                    window_ask(search->session, search->fillers, search->window, (unsigned)k));
}

// Takes a point that an earlier pass has measured: it may have followed another step, which noise had made.
static void probe_again(void *context, const char *name) {
    const char *last = strrchr(name, '.');
    probe(context, atoi(last + 1));
}

// Finds the step that the fewest points contradict: below it all should be below, and above it above. Few may be wrong,
// as noise lifts or lowers single points.
static void settle(struct search *search) {
    enum { MOST_WRONG_SHARE = 12, NEVER = 3 }; // never: nothing makes both misses overlap where they do not fit
    const struct point *points = search->points.items;
    size_t n = search->points.n, fewest = n + 1;
    int step = 0; // the first x above the step
    for (size_t i = 0; i <= n; i++) {
        int x = i < n ? points[i].x : NONE;
        size_t n_wrong = 0;
        for (size_t k = 0; k < n; k++)
            if (side_at(search, k) == (points[k].x < x ? ABOVE : BELOW))
                n_wrong += side_at(search, k) == BELOW && trust_at(search, k) != UNSURE ? NEVER : 1;
        if (n_wrong < fewest) { // the first of those that are as good
            fewest = n_wrong;
            step = x;
        }
    }
    search->is_step = fewest <= n / MOST_WRONG_SHARE;
    search->below = 0;
    search->above = NONE;
    for (size_t k = 0; k < n; k++) {
        if (points[k].x < step && side_at(search, k) == BELOW)
            search->below = points[k].x;
        if (points[k].x >= step && side_at(search, k) == ABOVE && search->above == NONE)
            search->above = points[k].x;
    }
}

// Asks again for unstable points at the step, and for those that contradict it.
static void doubt(const struct search *search) {
    double far = search->above + search->above / 4.0; // one of the points behind the step must become stable
    for (size_t k = 0; k < search->points.n; k++) {
        int x = search->points.items[k].x;
        bool is_near = x >= search->below && x <= far, is_above = x >= search->above;
        if (is_near || side_at(search, k) != (is_above ? ABOVE : BELOW))
            session_doubt(search->session, name_of(search->session, search->fillers, search->window, (unsigned)x));
    }
}

// The smallest number of fillers that is certain to be behind the step: its time is stable, or it is the second one
// whose side is sure. NONE: there is not one. A busy thread on the same core takes a share of the CPU's buffers, and
// then the step is too early. Nothing makes it too late.
static int find_steady(const struct search *search) {
    unsigned n_sure = 0;
    for (size_t k = 0; k < search->points.n; k++) {
        if (search->points.items[k].x < search->above || trust_at(search, k) == UNSURE || side_at(search, k) != ABOVE)
            continue;
        if (trust_at(search, k) == STABLE || ++n_sure == 2)
            return search->points.items[k].x;
    }
    return NONE;
}

static bool is_below_stable(const struct search *search) {
    size_t k = points_find(&search->points, search->below);
    return k < search->points.n && trust_at(search, k) == STABLE;
}

// Finer points inside the interval, until it is one filler wide, or noise hides it.
static void refine(struct search *search) {
    enum { PARTS = 8 };
    for (int width = search->above - search->below; !search->points.is_missing && search->above != NONE && width > 1;
         width = search->above - search->below) {
        int first = search->below, part = (width + PARTS - 1) / PARTS;
        for (int k = first + part; k < first + width; k += part)
            probe(search, k);
        settle(search);
        if (search->above - search->below >= width) // noise, or a slope
            break;
    }
}

// The knee of a search. `last`: the largest number of fillers.
static void conclude(const struct search *search, int last, struct knee *knee) {
    enum { NOISE = 2 }; // fillers by which it may move the lower end
    int steady = find_steady(search);
    bool is_risen = search->above != NONE;
    knee->low = knee->seen_low = search->below;
    knee->seen_high = is_risen ? search->above : 0;
    if (is_risen && !is_below_stable(search))
        knee->low -= knee->low > NOISE ? NOISE : knee->low;
    knee->is_open = is_risen && steady == NONE;
    knee->is_beyond = search->is_step && (knee->is_open || (!is_risen && search->below == last));
    if (!is_risen && !knee->is_beyond)
        knee->why = "the curve rises, but does not reach the time of two misses";
    else if (!search->is_step)
        knee->why = "the curve is not a step";
    knee->high = knee->is_beyond ? knee->low : steady - 1;
}

struct knee window_find_knee(struct session *session, const struct fillers *fillers, const struct window *window,
                             const struct levels *levels) {
    static const int grid[] = {4,   8,   12,  16,  24,  32,  40,  48,  56,  64,  80,   96,   112, 128,
                               160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 1024, 1280, 1536};
    enum { N_ALL = sizeof grid / sizeof *grid, N_FEWER = N_ALL - 3 };
    const unsigned n_grid = window->reaches_far ? N_ALL : N_FEWER;
    struct search search = {.session = session, .fillers = fillers, .window = window, .levels = levels};
    struct knee knee = {0};
    for (unsigned i = 0; i < n_grid; i++)
        probe(&search, grid[i]);
    session_each(session, prefix_of(session, fillers, window), probe_again, &search);
    settle(&search);
    refine(&search);
    doubt(&search);
    if (search.points.is_missing)
        return knee;
    knee.is_known = true;
    if (search.points.n < n_grid / 2) {
        knee.why = search.points.why ? search.points.why : "too few points could be measured";
        return knee;
    }
    struct card_curve curve = {.name = arena_printf(session->arena, "window-%s", window->name),
                               .x = "fillers behind each miss",
                               .y = "cycles per iteration of two misses"};
    conclude(&search, grid[n_grid - 1], &knee);
    if (!knee.why && !knee.is_beyond) {
        curve.knee_low = knee.low;
        curve.knee_high = knee.high + 1;
    }
    points_draw(session, &search.points, 1, &curve);
    return knee;
}
