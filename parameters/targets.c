// Taken branches whose targets the first level remembers: chains of jumps at odd distances, so that they do not meet in
// few sets. Time rises slowly, as what is full forgets single targets. Where the distance does not matter, their number
// is the limit, and not the bytes of the code.
#include "parameters/experiments.h"

#include <math.h>

static const int grid[] = {256,  512,  768,  1024, 1280, 1536, 1792, 2048, 2304, 2560, 2816,
                           3072, 3328, 3584, 3840, 4096, 4608, 5120, 6144, 7168, 8192};
static const int distances[] = {5, 7, 9, 12}; // bytes
enum { N_GRID = sizeof grid / sizeof *grid, N_DISTANCES = sizeof distances / sizeof *distances };

// The most jumps at full speed: between these; high: 0: not known.
struct most {
    int low, high;
    const char *why; // why it is not known
};

static const char *name_of(const struct session *session, int distance, int n) {
    return arena_printf(session->arena, "targets-%d.%d", distance, n);
}

// Returns whether all points are measured.
static bool ask(struct session *session, int distance, const struct value **values) {
    enum { JUMP = 2 };
    bool is_whole = true;
    for (unsigned i = 0; i < N_GRID; i++) {
        const struct timing timing = {.name = name_of(session, distance, grid[i]),
                                      .body =
                                          arena_printf(session->arena, "jmp 1f\n.skip %d, 0x90\n1:\n", distance - JUMP),
                                      .unroll = (unsigned)grid[i],
                                      .is_rough = true};
        values[i] = session_value(session, &timing);
        is_whole = is_whole && values[i];
    }
    return is_whole;
}

// Whether a value is sure to be slow. Unstable ones may be: what is forgotten differs from process to process.
static bool is_slow(const struct value *value, double quickest) {
    static const double slow = 1.3;
    return value->is_good && value->low > slow * quickest;
}

// Full speed: within a few parts in a hundred of the quickest stable point. Few jumps may be slow where they leave
// other parts of the front end, so the last quick one counts. It ends where all points are slow: three at least, each
// of another time.
static struct most find_most(const struct value *const *values) {
    enum { LEAST_SLOW = 3 };
    static const double near = 1.03;
    struct most most = {.why = "no number has a steady time"};
    double quickest = INFINITY;
    unsigned behind = N_GRID;
    for (unsigned i = 0; i < N_GRID; i++)
        if (value_is_usable(values[i]))
            quickest = fmin(quickest, values[i]->cycles);
    if (!isfinite(quickest))
        return most;
    for (unsigned i = 0; i < N_GRID; i++)
        if (values[i]->is_good && values[i]->cycles <= near * quickest)
            most.low = grid[i];
    while (behind > 0 && is_slow(values[behind - 1], quickest))
        behind--;
    most.why = behind + LEAST_SLOW > N_GRID ? "more take no longer, or noise hides it" : NULL;
    most.high = most.why ? 0 : grid[behind];
    return most;
}

static void doubt(struct session *session, int distance, const struct most *most) {
    enum { FEW = 1024 };
    for (unsigned i = 0; i < N_GRID; i++)
        if (grid[i] <= FEW || (grid[i] >= most->low && (most->why || grid[i] <= most->high)))
            session_doubt(session, name_of(session, distance, grid[i]));
}

static void add_curve(struct session *session, int distance, const struct value *const *values,
                      const struct most *most) {
    struct card_curve curve = {
        .name = arena_printf(session->arena, "targets-%d", distance), .x = "jumps", .y = "cycles per jump"};
    for (unsigned i = 0; i < N_GRID; i++)
        if (values[i]->is_good)
            *ARENA_ADD(session->arena, curve.points, curve.n_points) =
                (struct card_point){grid[i], values[i]->cycles, values[i]->low, values[i]->high};
    if (!most->why) {
        curve.knee_low = most->low;
        curve.knee_high = most->high;
    }
    *ARENA_ADD(session->arena, session->card.curves, session->card.n_curves) = curve;
}

static bool overlap(double low_a, double high_a, double low_b, double high_b) {
    return low_a <= high_b && low_b <= high_a;
}

// Two distances that agree in the number of jumps, and not in the bytes of the code.
static bool is_shown(const struct most *all, unsigned *one, unsigned *other) {
    for (unsigned i = 0; i < N_DISTANCES; i++)
        for (unsigned k = i + 1; k < N_DISTANCES; k++) {
            const struct most *a = &all[i], *b = &all[k];
            double x = distances[i], y = distances[k];
            *one = i;
            *other = k;
            if (!a->why && !b->why && overlap(a->low, a->high, b->low, b->high) &&
                !overlap(a->low * x, a->high * x, b->low * y, b->high * y))
                return true;
        }
    return false;
}

void targets_find(struct session *session) {
    const struct value *values[N_DISTANCES][N_GRID];
    struct most all[N_DISTANCES] = {{0}};
    bool is_whole = true;
    for (unsigned d = 0; d < N_DISTANCES; d++) {
        if (!ask(session, distances[d], values[d])) {
            is_whole = false;
            continue;
        }
        all[d] = find_most(values[d]);
        doubt(session, distances[d], &all[d]);
    }
    if (!is_whole)
        return;
    for (unsigned d = 0; d < N_DISTANCES; d++)
        add_curve(session, distances[d], values[d], &all[d]);
    const struct card_entry head = {.group = "front-end",
                                    .name = "branches-first-level",
                                    .unit = "branches",
                                    .how = "chains of jumps 5 to 12 bytes apart: the most at full speed, where the "
                                           "distance does not matter",
                                    .curve = "targets-7"};
    unsigned one, other;
    if (!is_shown(all, &one, &other)) {
        card_add_unknown(&session->card, &head,
                         all[0].why ? all[0].why
                                    : "no two distances agree in their number and differ in the bytes of their code");
        return;
    }
    int low = all[one].low, high = all[one].high;
    for (unsigned d = 0; d < N_DISTANCES; d++) {
        const struct most *most = &all[d];
        if (most->why || !overlap(most->low, most->high, all[one].low, all[one].high) ||
            !overlap(most->low, most->high, all[other].low, all[other].high))
            continue;
        low = most->low < low ? most->low : low;
        high = most->high > high ? most->high : high;
    }
    card_add_number(&session->card, &head, (low + high) / 2.0, low, high, 0);
}
