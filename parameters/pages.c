// Page walks: a chase with one address in each page, against one through as many lines side by side. The caches hold as
// many lines of both, so what the pages cost more is the translation of addresses. It rises where the first level of
// address translations is full, and again where the second is.
#include "parameters/experiments.h"

#include <math.h>

enum { MOST_POINTS = 160, KIB_OF_PAGE = 4, LINE_BYTES = 64 };

static const char group[] = "pages";
static const char how[] = "a chase with one address a page, against as many lines side by side";
static const int grid[] = {8,   12,  16,  24,   32,   48,   64,   96,   128,  192,  256,
                           384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 16384};
// Lines side by side: as many are in so few pages, and in the second level of caches at most, that they need no walk.
enum { N_GRID = sizeof grid / sizeof *grid, N_BASE = 4, LEAST_LINES = 16, MOST_LINES = 4096 };

// What a load costs more in another page each, by number of pages.
struct curve {
    struct session *session;
    struct point {
        int pages;
        struct span {
            double cycles, low, high;
        } apart, together;      // of a load through pages, and through lines side by side
        double cost, low, high; // their difference (compare_points), cycles
        bool is_stable;         // both are
    } points[MOST_POINTS];      // ascending
    unsigned n;
    bool is_missing;
    const char *why; // why a value could not be measured
};

// A level of translations: where it is full, and what a load costs more then.
struct tlb_level {
    const char *why; // why it is not known; null: it is
    int low, high;   // pages
    int risen;       // the first number of pages that costs more, stable or not
    double cost, cost_low, cost_high;
};

static const char *name_of(const struct session *session, bool is_by_page, int n) {
    return arena_printf(session->arena, "%s.%d", is_by_page ? "pages" : "pages-lines", n);
}

// The lines that pages are compared with.
static int lines_of(int pages) {
    return pages < LEAST_LINES ? LEAST_LINES : pages > MOST_LINES ? MOST_LINES : pages;
}

static const struct value *ask(struct session *session, bool is_by_page, int n) {
    struct text body = {.arena = session->arena};
    recipe_add(&body, session->recipe->lines[LINE_STEP], 0, "p");
    const struct timing timing = {.name = name_of(session, is_by_page, n),
                                  .body = body.data,
                                  .unroll = 32,
                                  .chase = is_by_page ? arena_printf(session->arena, "%dK by page", n * KIB_OF_PAGE)
                                                      : arena_printf(session->arena, "%d", n * LINE_BYTES),
                                  .is_rough = true};
    return session_value(session, &timing);
}

static void probe(struct curve *curve, int pages) {
    for (unsigned i = 0; i < curve->n; i++)
        if (curve->points[i].pages == pages)
            return;
    const struct value *apart = ask(curve->session, true, pages),
                       *together = ask(curve->session, false, lines_of(pages));
    if (!apart || !together) {
        curve->is_missing = true;
        return;
    }
    if (!apart->is_good || !together->is_good) {
        curve->why = apart->is_good ? together->why : apart->why;
        return;
    }
    if (curve->n == MOST_POINTS)
        return;
    unsigned at = curve->n++;
    for (; at > 0 && curve->points[at - 1].pages > pages; at--)
        curve->points[at] = curve->points[at - 1];
    curve->points[at] = (struct point){.pages = pages,
                                       .apart = {apart->cycles, apart->low, apart->high},
                                       .together = {together->cycles, together->low, together->high},
                                       .is_stable = apart->is_stable && together->is_stable};
}

// Takes the lines' times off the pages'. A neighbour only slows, and more lines take no less time. So the fastest of as
// many lines and more is nearest to the truth, and never below it.
static void compare_points(struct curve *curve) {
    const struct span *fastest = NULL;
    for (unsigned i = curve->n; i-- > 0;) {
        struct point *p = &curve->points[i];
        if (!fastest || p->together.cycles < fastest->cycles)
            fastest = &p->together;
        p->cost = p->apart.cycles - fastest->cycles;
        p->low = p->apart.low - fastest->high;
        p->high = p->apart.high - fastest->low;
    }
}

// Median, least and most cost of the stable points of so many pages. Returns their number.
static unsigned summarize(const struct curve *curve, double from, double to, double *median, double *least,
                          double *most) {
    double costs[MOST_POINTS];
    unsigned n = 0;
    *least = INFINITY;
    *most = -INFINITY;
    for (unsigned i = 0; i < curve->n; i++) {
        const struct point *p = &curve->points[i];
        if (!p->is_stable || p->pages < from || p->pages > to)
            continue;
        costs[n++] = p->cost;
        *least = fmin(*least, p->low);
        *most = fmax(*most, p->high);
    }
    *median = n ? median_of(costs, n) : 0;
    return n;
}

// The first point from so many pages on that costs more than `cost`. Curve->n: none does.
static unsigned find_above(const struct curve *curve, double from, double cost) {
    unsigned found = 0;
    while (found < curve->n && (curve->points[found].pages < from || curve->points[found].cost <= cost))
        found++;
    return found;
}

// The first stable point behind the last one, to so many pages, that costs no more than `cost`. Curve->n: none is.
static unsigned find_lasting(const struct curve *curve, double to, double cost) {
    unsigned found = 0;
    for (unsigned i = 0; i < curve->n && curve->points[i].pages <= to; i++)
        if (curve->points[i].cost <= cost)
            found = i + 1;
    while (found < curve->n && !curve->points[found].is_stable) // noise may have lifted it
        found++;
    return found;
}

// The step from cost `before` behind `from` pages. It begins behind the last stable point before the first that costs
// `rise` more: of an unstable one, the lines may be slow, and hide what the pages cost. It ends where all points have
// come most of the way to what 1.3 to `reach` times as many pages cost.
static struct tlb_level find_level(const struct curve *curve, int from, double before, double rise, double reach) {
    enum { LEAST_POINTS = 2 };
    static const double most = 0.75, behind = 1.3;
    struct tlb_level level = {0};
    unsigned first = find_above(curve, from, before + rise), last = first;
    while (last > 0 && !curve->points[last - 1].is_stable)
        last--;
    if (first == curve->n || last == 0) {
        level.why = first == curve->n ? "the curve has no such step" : "it takes longer from the first point on";
        return level;
    }
    level.low = curve->points[last - 1].pages;
    int risen = level.risen = curve->points[first].pages;
    unsigned n = summarize(curve, behind * risen, reach * risen, &level.cost, &level.cost_low, &level.cost_high);
    unsigned end = find_lasting(curve, reach * risen, before + most * (level.cost - before));
    if (n < LEAST_POINTS || level.cost < before + rise)
        level.why = "what comes behind the step has no steady time";
    else if (end == curve->n || curve->points[end].pages > 2 * risen)
        level.why = "the curve rises slowly, or noise hides its step";
    else
        level.high = curve->points[end].pages;
    return level;
}

// Asks for finer points where a step is, and again for those that noise disturbs.
static void refine(struct curve *curve, const struct tlb_level *level) {
    enum { PARTS = 6, FINEST = 60 };
    int high = level->why ? level->risen : level->high, width = high - level->low;
    if (!level->low || curve->is_missing)
        return;
    if (width > 1 + level->low / FINEST)
        for (int k = 1; k < PARTS; k++)
            probe(curve, level->low + width * k / PARTS);
    for (unsigned i = 0; i < curve->n; i++)
        if (curve->points[i].pages >= level->low && curve->points[i].pages <= high + high / 2) {
            session_doubt(curve->session, name_of(curve->session, true, curve->points[i].pages));
            session_doubt(curve->session, name_of(curve->session, false, lines_of(curve->points[i].pages)));
        }
}

static void add_curve(const struct curve *curve, const struct tlb_level *level) {
    struct session *session = curve->session;
    struct card_curve drawn = {
        .name = "page-walks", .x = "pages of 4 KiB, one line in each", .y = "cycles that a load takes longer"};
    for (unsigned i = 0; i < curve->n; i++) {
        const struct point *p = &curve->points[i];
        *ARENA_ADD(session->arena, drawn.points, drawn.n_points) =
            (struct card_point){p->pages, fmax(0, p->cost), fmax(0, p->low), fmax(0, p->high)};
    }
    if (!level->why) {
        drawn.knee_low = level->low;
        drawn.knee_high = level->high;
    }
    *ARENA_ADD(session->arena, session->card.curves, session->card.n_curves) = drawn;
}

static void add_level(struct session *session, const char *name, const struct tlb_level *level, const char *unknown,
                      double before, const char *note) {
    struct card_entry head = {.group = group,
                              .name = arena_printf(session->arena, "%s-pages", name),
                              .unit = "pages of 4 KiB",
                              .how = how,
                              .curve = "page-walks"};
    const char *why = unknown ? unknown : level->why;
    if (!unknown && why && level->low > 0)
        card_add_step_seen(&session->card, &head, level->low, level->risen, why);
    else if (why)
        card_add_unknown(&session->card, &head, why);
    else
        card_add_number(&session->card, &head, (level->low + level->high) / 2.0, level->low, level->high, 0);
    head.name = arena_printf(session->arena, "%s-miss", name);
    head.unit = "cycles";
    if (why) {
        card_add_unknown(&session->card, &head, why);
        return;
    }
    card_add_number(&session->card, &head, level->cost - before, level->cost_low - before, level->cost_high - before,
                    0.01);
    session->card.entries[session->card.n_entries - 1].why = note;
}

// Why the first points are no base; null: they are.
static const char *check_base(const struct curve *curve, double *base) {
    static const double most = 0.5; // cycles
    double least, high;
    if (curve->n < N_GRID * 3 / 4)
        return curve->why ? curve->why : "too few points could be measured";
    if (!summarize(curve, 0, grid[N_BASE - 1], base, &least, &high))
        return "no point at its begin is stable";
    if (fabs(*base) > most)
        return "pages differ from lines from the first point on";
    return NULL;
}

static void find_pages(struct session *session) {
    struct curve curve = {.session = session};
    struct tlb_level first = {0}, second = {0};
    double base = 0;
    static const double least_first = 0.15, least_second = 1.5; // cycles
    const char *trouble = NULL;
    for (unsigned i = 0; i < N_GRID; i++)
        probe(&curve, grid[i]);
    for (unsigned turn = 0; turn < 4 && !curve.is_missing && !trouble; turn++) {
        compare_points(&curve);
        trouble = check_base(&curve, &base);
        first = find_level(&curve, 0, base, least_first, 5);
        if (!first.why)
            second = find_level(&curve, 2 * first.high, first.cost, least_second, 3);
        refine(&curve, &first);
        if (!first.why)
            refine(&curve, &second);
    }
    if (curve.is_missing)
        return;
    const char *nested = session->is_guest ? "in a virtual machine, a walk goes through two sets of tables" : NULL;
    if (!trouble && first.why && !first.low)
        trouble = "up to 16384 pages take as long as lines side by side";
    add_curve(&curve, &first);
    add_level(session, "tlb-first", &first, trouble, base, "what the second level costs");
    add_level(session, "tlb-second", &second, !trouble && first.why ? "the first level is not known" : trouble,
              first.cost, nested);
}

void pages_find(struct session *session) {
    const struct card_entry head = {.group = group, .name = "page-walks", .unit = "", .how = how};
    if (session->is_simulated)
        card_add_unknown(&session->card, &head, "a simulated CPU has no pages");
    else if (session->page_bytes != KIB_OF_PAGE * 1024)
        card_add_unknown(&session->card, &head,
                         session->page_bytes ? "the system's pages are not of 4 KiB"
                                             : "the size of pages is not known");
    else
        find_pages(session);
}
