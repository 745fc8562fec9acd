#include "bench/measure/level.h"

#include "bench/measure/statistics.h"
#include "bench/whole.h"

#include <math.h>

// Relative distance from the level of a reading, and of a process's median, that still agrees. The error of one reading
// is about half a percent (timer steps of 10 ns in some µs), that of the median is lower.
static const double reading_tolerance = 0.02, process_tolerance = 0.01;
// Smallest share of a process's rounds that form a plateau, and the fewest rounds.
static const double plateau_share = 0.4;
enum { FEWEST_ROUNDS = 4 };
// The level is a mean over the first ENOUGH_PROCESSES. The spread is a mean in which the last LONGEST_MEMORY weigh
// most.
enum { ENOUGH_PROCESSES = 64, LONGEST_MEMORY = 64 };

double level_tolerance(const struct level *level) {
    return fmax(reading_tolerance, 3 * level->spread);
}

bool level_is_reached(const struct level *level) {
    return level->n_processes >= LEVEL_PROCESSES;
}

void level_remember(struct level *level, double cycles) {
    level->cycles = level->remembered = cycles;
    level->is_settled = true;
}

void level_settle(struct level *level) {
    level->is_settled = level->cycles > 0;
}

static double agreement(const struct level *level, double noise) {
    return fmax(process_tolerance, fmax(level->spread, noise));
}

static size_t count_below(const double *sorted, size_t n, double limit) {
    size_t count = 0;
    while (count < n && sorted[count] <= limit)
        count++;
    return count;
}

// Finds the lowest readings that are close together and apart from those above. A neighbour that is busy for a part of
// the process does not change these; the readings that it slows are spread out, or higher. Returns false without such
// readings.
static bool find_plateau(const double *sorted, size_t n, double noise, struct level_plateau *plateau) {
    size_t needed = (size_t)fmax(FEWEST_ROUNDS, ceil(plateau_share * (double)n));
    double window = fmax(process_tolerance, 3 * noise);
    for (size_t first = 0; first + needed <= n; first++) {
        if (sorted[first] <= 0)
            continue;
        const double *start = &sorted[first];
        size_t n_in = count_below(start, n - first, *start * (1 + window));
        size_t n_next = count_below(start, n - first, *start * (1 + 2 * window)) - n_in;
        if (n_in < needed || 2 * n_next > n_in)
            continue;
        double middle = statistics_median(start, n_in);
        n_in = count_below(start, n - first, middle * (1 + window)); // as far above the middle as below it
        plateau->cycles = statistics_median(start, n_in);
        plateau->spread = statistics_spread(start, n_in) / plateau->cycles;
        return true;
    }
    return false;
}

// Adds a process at the level. After the first processes the mean stays: otherwise a neighbour that slows by less than
// the noise would raise it later.
static void join(struct level *level, const struct level_plateau *plateau) {
    unsigned n = level->n_processes++;
    level->seen += (plateau->cycles - level->seen) / (n + 1);
    level->n_slower = 0;
    if (!level->is_settled)
        level->cycles += (plateau->cycles - level->cycles) / (n + 1);
    level->is_settled |= level->n_processes >= ENOUGH_PROCESSES;
    n = n < LONGEST_MEMORY ? n : LONGEST_MEMORY;
    level->spread += (plateau->spread - level->spread) / (n + 1);
}

// Inserts a plateau in order. Where there is no room, the slowest one drops out.
static void insert(struct level *level, const struct level_plateau *plateau) {
    unsigned place = level->n_faster;
    if (place < LEVEL_MOST_FASTER)
        level->n_faster++;
    else if (level->faster[--place].cycles <= plateau->cycles)
        return;
    for (; place > 0 && level->faster[place - 1].cycles > plateau->cycles; place--)
        level->faster[place] = level->faster[place - 1];
    level->faster[place] = *plateau;
}

static void forget_old(struct level *level) {
    unsigned n = 0;
    for (unsigned i = 0; i < level->n_faster; i++)
        if (level->faster[i].number + LEVEL_WINDOW > level->n_plateaus)
            level->faster[n++] = level->faster[i];
    level->n_faster = n;
}

// Number of processes that must agree on a plateau. Below a level that earlier sessions have found, chance is likelier
// than a neighbour in all of these sessions.
static unsigned needed_processes(const struct level *level, double cycles) {
    unsigned n_window = level->n_plateaus < LEVEL_WINDOW ? level->n_plateaus : LEVEL_WINDOW;
    bool is_doubtful = level->remembered > 0 && cycles < level->remembered;
    unsigned least = is_doubtful ? LEVEL_MANY : LEVEL_PROCESSES, share = n_window / (is_doubtful ? 2 : LEVEL_SHARE);
    return share > least ? share : least;
}

// Finds the fastest process that agrees with enough others. Returns false where there is none.
static bool find_agreement(const struct level *level, double tolerance, unsigned *first) {
    for (*first = 0; *first < level->n_faster; ++*first) {
        double cycles = level->faster[*first].cycles;
        unsigned last = *first + needed_processes(level, cycles) - 1;
        if (last < level->n_faster && level->faster[last].cycles <= cycles * (1 + tolerance))
            return true;
    }
    return false;
}

// Returns the nearest whole number; 0: it is not near.
static double whole_if_near(double cycles) {
    return round(cycles) >= 1 && fabs(cycles / round(cycles) - 1) < WHOLE_CLOCK ? round(cycles) : 0;
}

static void note_slower(struct level *level, const struct level_plateau *plateau, double tolerance) {
    bool is_other = fabs(plateau->cycles / level->slower - 1) > tolerance;
    if (level->n_processes > 0)
        return;
    level->n_slower = is_other ? 1 : level->n_slower + 1;
    level->slower = is_other ? plateau->cycles : level->slower;
}

static void settle(struct level *level, unsigned first, double tolerance) {
    double limit = level->faster[first].cycles * (1 + tolerance);
    level->cycles = level->faster[first].cycles;
    level->spread = level->faster[first].spread;
    level->n_processes = 1;
    level->seen = level->cycles;
    level->is_settled = false;
    for (unsigned i = first + 1; i < level->n_faster && level->faster[i].cycles <= limit; i++)
        join(level, &level->faster[i]);
    level->n_faster = 0;
}

bool level_take(struct level *level, double *readings, size_t n, double noise) {
    struct level_plateau plateau;
    unsigned first;
    statistics_sort(readings, n);
    if (!find_plateau(readings, n, noise, &plateau))
        return false;
    double tolerance = agreement(level, noise);
    plateau.number = ++level->n_plateaus;
    if (level->is_whole) {
        plateau.cycles = whole_if_near(plateau.cycles);
        tolerance = 0;
    }
    if (plateau.cycles == 0)
        return false;
    if (level->cycles > 0 && plateau.cycles >= level->cycles * (1 - tolerance)) {
        if (plateau.cycles <= level->cycles * (1 + tolerance))
            join(level, &plateau);
        else
            note_slower(level, &plateau, tolerance);
        return false;
    }
    insert(level, &plateau);
    forget_old(level);
    if (!find_agreement(level, tolerance, &first))
        return false;
    settle(level, first, tolerance);
    return true;
}
