#include "bench/measure/gaps.h"

#include "bench/measure/statistics.h"

#include <math.h>

// Enough for a few hundred gaps where they matter, and little beside the rest of a calibration.
static const double watch_seconds = 0.03;
enum { MOST_GAPS = 8192 };

static const double first_class_ns = 100;
// Fewest gaps that show a time scale.
enum { FEWEST_GAPS = 20 };

static const double no_window_us = 1;

double bench_gaps_class_us(unsigned number) {
    return ldexp(first_class_ns / 1e3, (int)number);
}

double bench_gaps_per_second(const struct bench_gaps *gaps) {
    return gaps->seconds > 0 ? gaps->n_spoiling / gaps->seconds : 0;
}

static const char *length_text(struct arena *arena, double us) {
    return us < 1000 ? arena_printf(arena, "%.3g µs", us) : arena_printf(arena, "%.3g ms", us / 1e3);
}

const char *bench_gaps_summary(struct arena *arena, const struct bench_gaps *gaps) {
    if (gaps->seconds <= 0)
        return "not known: no timer here shows them";
    if (!gaps->n_spoiling)
        return arena_printf(arena, "no gap of %.1f µs and more in %.0f ms", BENCH_GAP_SPOILS_NS / 1e3,
                            gaps->seconds * 1e3);
    double percent = gaps->share * 100;
    return arena_printf(arena,
                        "something takes the core away %.0f times a second, %.*f %% of the time; nine of ten of these "
                        "gaps are longer than %.2g µs, and half of the time between them is in windows of %s and more",
                        bench_gaps_per_second(gaps), percent < 10, percent, gaps->shortest_us,
                        length_text(arena, gaps->median_window_us));
}

static unsigned class_of(double ns) {
    unsigned number = 0;
    for (double edge = 2 * first_class_ns; ns >= edge && number + 1 < BENCH_GAP_CLASSES; edge *= 2)
        number++;
    return number;
}

// Returns the length of a window such that `share` of the clean time is in windows of at least this length.
static double window_of(const double *sorted, size_t n, double share) {
    double total = 0, above = 0;
    for (size_t i = 0; i < n; i++)
        total += sorted[i];
    for (size_t i = n; i > 0; i--) {
        above += sorted[i - 1];
        if (above >= share * total)
            return sorted[i - 1];
    }
    return 0;
}

void gaps_summarise(const struct target_watch *watch, struct bench_gaps *gaps) {
    struct arena scratch = {0};
    double *windows = ARENA_ARRAY(&scratch, double, watch->n_gaps + 1);
    double *lengths = ARENA_ARRAY(&scratch, double, watch->n_gaps + 1), total_ns = 0, clean_ns = 0;
    size_t n_windows = 0;
    *gaps = (struct bench_gaps){.seconds = watch->seconds, .resolution_ns = watch->resolution_ns};
    for (unsigned i = 0; i < watch->n_gaps && watch->seconds > 0; i++) {
        const struct target_gap *gap = &watch->gaps[i];
        unsigned number = class_of(gap->ns);
        gaps->count[number]++;
        gaps->total_us[number] += gap->ns / 1e3;
        total_ns += gap->ns;
        if (gap->ns < BENCH_GAP_SPOILS_NS)
            continue;
        windows[n_windows++] = (gap->start_ns - clean_ns) / 1e3;
        lengths[gaps->n_spoiling++] = gap->ns / 1e3;
        clean_ns = gap->start_ns + gap->ns;
    }
    if (gaps->n_spoiling) {
        windows[n_windows++] = fmax(0, watch->seconds * 1e6 - clean_ns / 1e3);
        statistics_sort(windows, n_windows);
        statistics_sort(lengths, gaps->n_spoiling);
        gaps->shortest_us = lengths[gaps->n_spoiling / 10];
        gaps->median_window_us = window_of(windows, n_windows, 0.5);
        gaps->short_window_us = window_of(windows, n_windows, 0.9);
    }
    if (watch->seconds > 0)
        gaps->share = fmin(1, total_ns / 1e9 / watch->seconds);
    arena_free(&scratch);
}

bool gaps_watch(struct target *target, struct bench_gaps *gaps, struct fail *fail) {
    struct arena scratch = {0};
    struct target_watch watch = {.seconds = watch_seconds, .most_gaps = MOST_GAPS};
    bool is_done = true;
    *gaps = (struct bench_gaps){0};
    if (target->ops->watch) {
        watch.gaps = ARENA_ARRAY(&scratch, struct target_gap, MOST_GAPS);
        is_done = target->ops->watch(target, &watch, fail);
        if (is_done)
            gaps_summarise(&watch, gaps);
    }
    arena_free(&scratch);
    return is_done;
}

bool gaps_leave_nothing(const struct bench_gaps *gaps) {
    return gaps->n_spoiling >= FEWEST_GAPS && gaps->median_window_us < no_window_us;
}

// A round times its two references, its checks and its code: together about 4.5 times the difference of the code's two
// runs. Where one round in eight or more meets a gap, its runs become shorter: a third of a window together. That is
// short enough for most bursts to be clean, and long enough beside the timer's noise.
unsigned gaps_divisor(const struct bench_gaps *gaps, double seconds) {
    enum { FEWEST = 3, MOST = 16, WINDOWS = 8 };
    static const double round_lengths = 4.5, share_of_window = 1.0 / 3;
    double round_us = round_lengths * seconds * 1e6, window_us = gaps->median_window_us;
    if (gaps->n_spoiling < FEWEST_GAPS || window_us > WINDOWS * round_us)
        return 1;
    return (unsigned)fmax(FEWEST, fmin(ceil(round_us / (share_of_window * window_us)), MOST));
}

double gaps_hit_share(const struct bench_gaps *gaps, double ns) {
    double clean_seconds = gaps->seconds * (1 - gaps->share);
    return clean_seconds > 0 ? fmin(1, ns / 1e9 * gaps->n_spoiling / clean_seconds) : 0;
}

double gaps_hidden_share(const struct bench_gaps *gaps, double ns, double difference_ns, bool are_lost) {
    static const double most_hit = 0.5, most_hit_kept = 0.25, more_than_seen = 1.5; // gaps may come more often later
    if (gaps_hit_share(gaps, ns) <= (are_lost ? most_hit : most_hit_kept))
        return 0;
    double one_ns = gaps->share * gaps->seconds * 1e9 / gaps->n_spoiling;
    return fmin(1, more_than_seen * fmax(gaps->share, one_ns / difference_ns));
}
