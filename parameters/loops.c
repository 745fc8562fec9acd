// The loop buffer: cycles per instruction of a loop, by the length of its body. A CPU that replays short loops from a
// buffer of its own runs longer ones at the speed of what is behind it. Where that is as fast, nothing shows.
#include "parameters/experiments.h"

#include "parameters/frontend_code.h"
#include "parameters/points.h"

#include <math.h>

enum { N_KINDS = 3 };

static const char group[] = "front-end";
static const int grid[] = {4,   8,   12,  16,  24,  32,  40,  48,  56,  64,  80,  96,  112,
                           128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024};
enum { N_GRID = sizeof grid / sizeof *grid, LONGEST_LOOP = 1024 };

struct kind {
    const char *name, *what, *body, *writes;
};

struct loops {
    struct session *session;
    const struct kind *kind;
    struct points points; // by instructions of a body; cycles of each
};

// The longest loop at full speed.
struct longest {
    int low, high;   // instructions; high: 0: no loop takes longer
    int seen;        // the first behind `low`, steady or not
    double fast;     // cycles per instruction of the quickest
    const char *why; // why it is not known
};

static const char *name_of(const struct loops *loops, int length) {
    return arena_printf(loops->session->arena, "loop-%s.%d", loops->kind->name, length);
}

// The loop's own branch is one more instruction, with what counts down fused to it or not.
static const struct value *of_instruction(struct arena *arena, const struct value *value, int length) {
    struct value *one = value ? ARENA_NEW(arena, struct value) : NULL;
    double share = length / (length + 1.0);
    if (!value)
        return NULL;
    *one = *value;
    one->cycles *= share;
    one->low *= share;
    one->high *= share;
    return one;
}

static void probe(struct loops *loops, int length) {
    struct arena *arena = loops->session->arena;
    if (points_find(&loops->points, length) < loops->points.n)
        return;
    const struct timing timing = {.name = name_of(loops, length),
                                  .body = loops->kind->body,
                                  .writes = loops->kind->writes,
                                  .unroll = (unsigned)length,
                                  .is_rough = true};
    points_take(arena, &loops->points, length, of_instruction(arena, session_value(loops->session, &timing), length));
}

// The step: all longer loops take an eighth longer than the quickest, up to the longest one. Short loops take longer as
// an iteration takes whole cycles: so what is before the quickest does not count.
static struct longest find_longest(const struct loops *loops) {
    static const double rise = 1.12;
    const struct point *points = loops->points.items;
    size_t n = loops->points.n, last = n;
    struct longest longest = {.fast = INFINITY};
    for (size_t i = 0; i < n; i++)
        if (points[i].value->is_stable)
            longest.fast = fmin(longest.fast, points[i].value->cycles);
    for (size_t i = 0; i < n; i++)
        if (points[i].value->cycles <= rise * longest.fast)
            last = i;
    if (n < N_GRID * 3 / 4 || !isfinite(longest.fast) || last == n) {
        longest.why = loops->points.why ? loops->points.why : "too few lengths have a steady time";
        return longest;
    }
    longest.low = points[last].x;
    if (longest.low == LONGEST_LOOP)
        return longest;
    size_t behind = last + 1;
    longest.seen = points[behind].x;
    while (behind < n && !points[behind].value->is_stable)
        behind++;
    if (behind == n)
        longest.why = "longer loops have no steady time";
    else
        longest.high = points[behind].x;
    return longest;
}

static void refine(struct loops *loops, const struct longest *longest) {
    enum { PARTS = 6 };
    int width = longest->high - longest->low;
    for (size_t i = 0; i < loops->points.n; i++) { // all else depends on the quickest
        const struct point *point = &loops->points.items[i];
        if (point->x >= longest->low || point->value->cycles <= longest->fast)
            session_doubt(loops->session, name_of(loops, point->x));
    }
    for (int k = 1; k < PARTS && !longest->why && width > 1 && !loops->points.is_missing; k++)
        probe(loops, longest->low + width * k / PARTS);
}

static void add_curve(const struct loops *loops, const struct longest *longest) {
    struct session *session = loops->session;
    struct card_curve curve = {.name = arena_printf(session->arena, "loop-%s", loops->kind->name),
                               .x = "instructions in a loop",
                               .y = "cycles per instruction"};
    if (!longest->why && longest->high) {
        curve.knee_low = longest->low;
        curve.knee_high = longest->high;
    }
    points_draw(session, &loops->points, 1, &curve);
}

// Returns whether all of it is measured.
static bool find_kind(struct session *session, const struct kind *kind, struct longest *longest) {
    struct loops loops = {.session = session, .kind = kind};
    for (unsigned i = 0; i < N_GRID; i++)
        probe(&loops, grid[i]);
    for (unsigned turn = 0; turn < 3 && !loops.points.is_missing; turn++) {
        *longest = find_longest(&loops);
        refine(&loops, longest);
    }
    if (loops.points.is_missing)
        return false;
    add_curve(&loops, longest);
    const struct card_entry head = {
        .group = group,
        .name = arena_printf(session->arena, "loop-%s", kind->name),
        .unit = "instructions",
        .how = arena_printf(session->arena, "a loop of %s: the longest at full speed", kind->what),
        .curve = session->card.curves[session->card.n_curves - 1].name};
    if (longest->why && longest->low > 0)
        card_add_step_seen(&session->card, &head, longest->low, longest->seen, longest->why);
    else if (longest->why)
        card_add_unknown(&session->card, &head, longest->why);
    else if (!longest->high)
        card_add_at_least(&session->card, &head, longest->low, "no step: longer loops take no longer");
    else
        card_add_number(&session->card, &head, (longest->low + longest->high) / 2.0, longest->low, longest->high, 0);
    return true;
}

// A loop buffer holds so many instructions of any kind: two kinds must agree.
static void add_buffer(struct session *session, const struct longest *longest) {
    const struct card_entry head = {.group = group,
                                    .name = "loop-buffer",
                                    .unit = "instructions",
                                    .how = "loops of three kinds of instructions: the step that two kinds share"};
    unsigned n_without = 0;
    for (unsigned i = 0; i < N_KINDS; i++) {
        n_without += !longest[i].why && !longest[i].high;
        for (unsigned k = i + 1; k < N_KINDS; k++) {
            const struct longest *a = &longest[i], *b = &longest[k];
            if (a->why || b->why || !a->high || !b->high || a->low > b->high || b->low > a->high)
                continue;
            int low = a->low < b->low ? a->low : b->low, high = a->high > b->high ? a->high : b->high;
            card_add_number(&session->card, &head, (low + high) / 2.0, low, high, 0);
            return;
        }
    }
    card_add_unknown(
        &session->card, &head,
        n_without == N_KINDS
            ? "no step up to 1024: there is not one, or what is behind it is as fast"
            : "no two kinds have the same step: other parts of the front end end there, or noise hides it");
}

void loops_find(struct session *session) {
    struct text zeroing = {.arena = session->arena};
    struct longest longest[N_KINDS] = {{0}};
    bool is_whole = true;
    frontend_add_zeroing(&zeroing, 4);
    const struct kind kinds[N_KINDS] = {
        {"nops-1", "1-byte nops", frontend_nop(session, 1), NULL},
        {"zeroings-4", "4-byte zeroings", zeroing.data, "d"},
        {"nops-15", "15-byte nops", frontend_nop(session, 15), NULL},
    };
    for (unsigned i = 0; i < N_KINDS; i++)
        is_whole = find_kind(session, &kinds[i], &longest[i]) && is_whole;
    if (is_whole)
        add_buffer(session, longest);
}
