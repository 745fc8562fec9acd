/* How many cycles does a piece of your own program take? Without hardware counters, without root, in a VM, too.
 *
 *     #include <cyclops_region.h>
 *
 *     static struct cyclops_region region;               // zeroed
 *     for (int i = 0; i < 10000; i++) {
 *         cyclops_region_begin(&region);
 *         work();
 *         cyclops_region_end(&region);
 *     }
 *     cyclops_region_print(&region, "work", stdout);     // work: 123.4 cycles (122.9 to 124.0)
 *
 * The region is timed by the CPU's clock (x86-64: its time-stamp counter). Between executions, at most a fifth of the
 * time goes to three other pieces of code that are timed in the same way:
 *  - an empty region: its time is subtracted, so a region of 20 cycles is 20 cycles;
 *  - a chain of dependent additions, one cycle each on every CPU known: so many ticks are a cycle now, whatever the
 *    core's frequency is;
 *  - instructions that do nothing: where they become slower, another thread was busy on this core.
 *
 * The value is the middle of what executions took: about a quarter of them may be disturbed. Its interval comes from
 * sixteen groups of executions, one after the other in time, each with its own empty region and chain; it holds all of
 * them. A value that these cannot be trusted for is marked, with the reason.
 *
 * A region waits at both ends until all is done that came before. So it is what the code takes alone: not overlapped
 * with the code around it. Two ends cost some 40 to 100 cycles.
 *
 * Use one struct for each region, and in each thread. Regions may be nested where the outer one may hold the inner
 * one's ends and its calibration. No dependency but the C library. C99 and C++11; gcc and clang.
 * x86-64 and AArch64. AArch64's clock ticks slowly on many machines (24 MHz): then short regions are marked. */
#ifndef CYCLOPS_REGION_H
#define CYCLOPS_REGION_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "cyclops_region.h knows the clocks of x86-64 and AArch64 only"
#endif

enum {
    CYCLOPS_REGION_SAMPLES = 2048, /* kept of a kind; when that is full, each second one goes, and fewer are kept */
    CYCLOPS_REGION_GROUPS = 16,
    CYCLOPS_REGION_LEAST = 64,   /* with fewer executions, or fewer calibrations, no value is stable */
    CYCLOPS_REGION_CHAIN = 1024, /* additions of the chain, cycles */
    CYCLOPS_REGION_SHARE = 5,    /* calibration takes at most one part in so many of the time */
    CYCLOPS_REGION_BURST = 64    /* calibrations in a row, at most */
};

/* Of one execution, ticks. */
struct cyclops_region_sample {
    uint64_t when, region;
};

/* Of one calibration, ticks. */
struct cyclops_region_calibration {
    uint64_t when, empty, chain, issue;
};

struct cyclops_region {
    uint64_t start, end; /* of the last execution, ticks */
    uint64_t calibrated; /* end of the last calibration, ticks */
    uint64_t cost;       /* time of a calibration, ticks */
    uint64_t n;          /* executions */
    uint64_t n_moved;    /* among them, those that moved to another CPU: not counted */
    unsigned cpu;        /* number of the CPU at the start */
    uint32_t dither;     /* state of a generator of random numbers */
    unsigned n_samples, sample_stride, n_calibrations, calibration_stride; /* each stride + 1-th is kept */
    unsigned samples_skipped, calibrations_skipped;
    struct cyclops_region_sample samples[CYCLOPS_REGION_SAMPLES]; /* in the order of time */
    struct cyclops_region_calibration calibrations[CYCLOPS_REGION_SAMPLES];
};

struct cyclops_region_value {
    double cycles;    /* of one execution; NAN: none is known */
    double low, high; /* interval */
    uint64_t n;       /* executions */
    const char *why;  /* the value is not to be trusted, and why, one clause; null: it is stable */
};

#if defined(__x86_64__)
/* Reads the clock when all before is done, and before anything behind begins. */
static inline uint64_t cyclops_region_clock(unsigned *cpu) {
    uint32_t low, high, aux;
    __asm__ volatile("lfence\n\trdtscp\n\tlfence" : "=a"(low), "=d"(high), "=c"(aux) : : "memory");
    *cpu = aux;
    return (uint64_t)high << 32 | low;
}
/* Registers, not constants: some CPUs add constants at rename, several in a cycle. */
static inline void cyclops_region_run_chain(void) {
    uint64_t sum = 0, one = 1;
    for (unsigned i = 0; i < CYCLOPS_REGION_CHAIN / 32; i++)
        __asm__ volatile(".rept 32\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(one) : "cc");
}
static inline void cyclops_region_run_issue(void) {
    for (unsigned i = 0; i < 64; i++)
        __asm__ volatile(".rept 32\n\tnop\n\t.endr");
}
#else
static inline uint64_t cyclops_region_clock(unsigned *cpu) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    *cpu = 0;
    return ticks;
}
static inline void cyclops_region_run_chain(void) {
    uint64_t sum = 0, one = 1;
    for (unsigned i = 0; i < CYCLOPS_REGION_CHAIN / 32; i++)
        __asm__ volatile(".rept 32\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(one));
}
static inline void cyclops_region_run_issue(void) {
    for (unsigned i = 0; i < 64; i++)
        __asm__ volatile(".rept 32\n\tnop\n\t.endr");
}
#endif

/* Whether to keep one more; makes room for it. */
static inline int cyclops_region_keeps(unsigned *n, unsigned *stride, unsigned *skipped, void *items, size_t size) {
    if ((*skipped)++ < *stride)
        return 0;
    *skipped = 0;
    if (*n == CYCLOPS_REGION_SAMPLES) {
        char *bytes = (char *)items;
        for (unsigned i = 0; i < CYCLOPS_REGION_SAMPLES / 2; i++)
            memcpy(bytes + i * size, bytes + (2 * i + 1) * size, size);
        *n /= 2;
        *stride = 2 * *stride + 1;
    }
    return 1;
}

/* Waits for another number of cycles each time, from 0 to 63. Some clocks move in steps (26 ticks on a Zen 4), and a
 * loop may meet them always at the same place; so it meets all places, and the mean is finer than a step. */
static inline void cyclops_region_dither(struct cyclops_region *region) {
    region->dither = region->dither * 1664525U + 1013904223U;
    for (unsigned i = region->dither >> 26; i > 0; i--)
        __asm__ volatile("");
}

/* Times the three other pieces. */
static inline void cyclops_region_calibrate(struct cyclops_region *region) {
    unsigned cpu[6], after;
    uint64_t begin[3], end[3];
    cyclops_region_dither(region); /* three times the same lines: a loop's branch would be a part of the empty region */
    begin[0] = cyclops_region_clock(&cpu[0]);
    end[0] = cyclops_region_clock(&cpu[1]);
    cyclops_region_dither(region);
    begin[1] = cyclops_region_clock(&cpu[2]);
    cyclops_region_run_chain();
    end[1] = cyclops_region_clock(&cpu[3]);
    cyclops_region_dither(region);
    begin[2] = cyclops_region_clock(&cpu[4]);
    cyclops_region_run_issue();
    end[2] = cyclops_region_clock(&cpu[5]);
    if (cpu[0] == cpu[5] &&
        cyclops_region_keeps(&region->n_calibrations, &region->calibration_stride, &region->calibrations_skipped,
                             region->calibrations, sizeof *region->calibrations)) {
        struct cyclops_region_calibration *now = &region->calibrations[region->n_calibrations++];
        now->when = begin[0];
        now->empty = end[0] - begin[0];
        now->chain = end[1] - begin[1];
        now->issue = end[2] - begin[2];
    }
    region->calibrated = cyclops_region_clock(&after);
    region->cost = region->calibrated - begin[0];
}

static inline void cyclops_region_begin(struct cyclops_region *region) {
    cyclops_region_dither(region);
    region->start = cyclops_region_clock(&region->cpu);
}

/* The two halves of cyclops_region_end, for who has to do something in between: notes the time since the begin; then
 * calibrates, where it is time to. */
static inline void cyclops_region_stop(struct cyclops_region *region) {
    unsigned cpu;
    uint64_t end = cyclops_region_clock(&cpu);
    region->end = end;
    region->n++;
    if (cpu != region->cpu) {
        region->n_moved++;
    } else if (cyclops_region_keeps(&region->n_samples, &region->sample_stride, &region->samples_skipped,
                                    region->samples, sizeof *region->samples)) {
        region->samples[region->n_samples].when = region->start;
        region->samples[region->n_samples++].region = end - region->start;
    }
}

static inline void cyclops_region_pay(struct cyclops_region *region) {
    /* Time since the last calibration pays for the next ones. */
    uint64_t since = region->end - region->calibrated, spent = 0;
    for (unsigned i = 0; i < CYCLOPS_REGION_BURST && since >= CYCLOPS_REGION_SHARE * (spent + region->cost); i++) {
        cyclops_region_calibrate(region);
        spent += region->cost;
    }
}

static inline void cyclops_region_end(struct cyclops_region *region) {
    cyclops_region_stop(region);
    cyclops_region_pay(region);
}

/* ---- The value ---- */

static inline int cyclops_region_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Statistics of some times; sorts them. */
struct cyclops_region_statistics {
    double middle;     /* mean of those near the median: finer than the clock's steps, and no outlier is in it */
    double low, high;  /* quartiles */
    double mean, slow; /* of all; share of those that took clearly longer than the middle */
};

static inline struct cyclops_region_statistics cyclops_region_describe(double *times, unsigned n) {
    struct cyclops_region_statistics s = {NAN, NAN, NAN, NAN, 0};
    if (n == 0)
        return s;
    qsort(times, n, sizeof *times, cyclops_region_compare);
    double median = times[n / 2], step = INFINITY; /* of the clock */
    for (unsigned i = 1; i < n; i++)
        step = times[i] > times[i - 1] && times[i] - times[i - 1] < step ? times[i] - times[i - 1] : step;
    double near = 0.03 * median;
    near = step < 100 && 1.5 * step > near ? 1.5 * step : near;
    double sum = 0, all = 0, n_near = 0;
    for (unsigned i = 0; i < n; i++) {
        all += times[i];
        if (times[i] >= median - near && times[i] <= median + near) {
            sum += times[i];
            n_near++;
        }
    }
    s.middle = sum / n_near;
    s.low = times[n / 4];
    s.high = times[n - 1 - n / 4];
    s.mean = all / n;
    for (unsigned i = 0; i < n; i++)
        s.slow += times[i] > 1.1 * s.middle + 2 * near ? 1.0 / n : 0;
    return s;
}

/* What a group of executions, one after the other in time, shows. */
struct cyclops_region_group {
    double cycles, issue;
};

/* The calibrations from `first` on, to `end`; at least `least` around them, as far as there are so many. */
static inline void cyclops_region_widen(unsigned n, unsigned least, unsigned *first, unsigned *end) {
    while (*end - *first < least && (*first > 0 || *end < n)) {
        *first -= *first > 0;
        *end += *end < n;
    }
}

static inline struct cyclops_region_group cyclops_region_group_of(const struct cyclops_region *region, unsigned first,
                                                                  unsigned end, double *room) {
    unsigned begin = 0, until, n = region->n_calibrations;
    while (begin < n && region->calibrations[begin].when < region->samples[first].when)
        begin++;
    for (until = begin; until < n && region->calibrations[until].when <= region->samples[end - 1].when;)
        until++;
    cyclops_region_widen(n, 2 * CYCLOPS_REGION_GROUPS, &begin, &until);
    double ticks[3];
    for (unsigned kind = 0; kind < 3; kind++) {
        for (unsigned i = begin; i < until; i++) {
            const struct cyclops_region_calibration *c = &region->calibrations[i];
            room[i - begin] = (double)(kind == 0 ? c->empty : kind == 1 ? c->chain : c->issue);
        }
        ticks[kind] = cyclops_region_describe(room, until - begin).middle;
    }
    for (unsigned i = first; i < end; i++)
        room[i - first] = (double)region->samples[i].region;
    double per_cycle = (ticks[1] - ticks[0]) / (double)CYCLOPS_REGION_CHAIN;
    struct cyclops_region_group group = {(cyclops_region_describe(room, end - first).middle - ticks[0]) / per_cycle,
                                         (ticks[2] - ticks[0]) / per_cycle};
    return group;
}

/* Share of the time in which something took the core away, if regions are long enough to meet it often; else 0. */
static inline double cyclops_region_stolen(const struct cyclops_region *region, double middle, double *room) {
    for (unsigned i = 0; i < region->n_calibrations; i++)
        room[i] = (double)region->calibrations[i].chain;
    struct cyclops_region_statistics chain = cyclops_region_describe(room, region->n_calibrations);
    double meetings = chain.slow * middle / chain.middle; /* in one region */
    return meetings > 0.1 ? chain.mean / chain.middle - 1 : 0;
}

/* The cycles of groups of executions, one after the other in time, ascending. */
struct cyclops_region_groups {
    double cycles[CYCLOPS_REGION_GROUPS];
    unsigned n;
    int is_alone; /* most of them had the core for themselves; then these alone are listed */
};

static inline void cyclops_region_find_groups(const struct cyclops_region *region, double *room,
                                              struct cyclops_region_groups *found) {
    struct cyclops_region_group groups[CYCLOPS_REGION_GROUPS];
    unsigned n = region->n_samples / 2;
    double fastest = INFINITY;
    if (n > CYCLOPS_REGION_GROUPS)
        n = CYCLOPS_REGION_GROUPS;
    for (unsigned g = 0; g < n; g++) {
        unsigned first = (unsigned)((uint64_t)region->n_samples * g / n);
        unsigned end = (unsigned)((uint64_t)region->n_samples * (g + 1) / n);
        groups[g] = cyclops_region_group_of(region, first, end, room);
        fastest = groups[g].issue < fastest ? groups[g].issue : fastest;
    }
    found->n = 0;
    for (unsigned g = 0; g < n; g++)
        if (groups[g].issue <= 1.05 * fastest)
            found->cycles[found->n++] = groups[g].cycles;
    found->is_alone = 2 * found->n > n;
    for (unsigned g = 0; g < n && !found->is_alone; g++)
        found->cycles[g] = groups[g].cycles;
    found->n = found->is_alone ? found->n : n;
    qsort(found->cycles, found->n, sizeof *found->cycles, cyclops_region_compare);
}

/* Why the value is not to be trusted; null: it is. */
static inline const char *cyclops_region_doubt(const struct cyclops_region *region,
                                               const struct cyclops_region_groups *groups,
                                               const struct cyclops_region_statistics *samples, double stolen) {
    unsigned outer = groups->n == CYCLOPS_REGION_GROUPS;
    double cycles = groups->cycles[groups->n / 2];
    double spread = (groups->cycles[groups->n - 1 - outer] - groups->cycles[outer]) / 2;
    if (region->n_samples < CYCLOPS_REGION_LEAST || region->n_calibrations < CYCLOPS_REGION_LEAST)
        return "too few executions on one CPU";
    if (!groups->is_alone)
        return "another thread was busy on this core most of the time";
    if (stolen > 0.02)
        return "something takes the core away, more than 2 % of the time";
    if ((samples->high - samples->low) * cycles > 0.2 * samples->middle * (cycles + 100))
        return "its executions take different times";
    if (samples->slow > 0.05 && samples->mean > 1.5 * samples->middle)
        return "more than 5 % of its executions take much longer than most";
    return spread > 6 && spread > 0.03 * cycles ? "it took different times at different times" : NULL;
}

static inline struct cyclops_region_value cyclops_region_get(const struct cyclops_region *region) {
    struct cyclops_region_value value = {NAN, NAN, NAN, region->n, NULL};
    double *room = (double *)malloc(CYCLOPS_REGION_SAMPLES * sizeof *room);
    if (room == NULL || region->n_samples < 2 || region->n_calibrations < 2) {
        value.why =
            room == NULL ? "there is no memory for its statistics" : "it was executed less than twice on one CPU";
        free(room);
        return value;
    }
    struct cyclops_region_groups groups;
    cyclops_region_find_groups(region, room, &groups);
    for (unsigned i = 0; i < region->n_samples; i++)
        room[i] = (double)region->samples[i].region;
    struct cyclops_region_statistics samples = cyclops_region_describe(room, region->n_samples);
    double stolen = cyclops_region_stolen(region, samples.middle, room);
    free(room);

    /* The ends overlap with what is between them: their own time then differs by some cycles from that of an empty
     * region. 0.3 %: the chain's own error. The second and the last but one of 16 groups enclose the median with 99.95
     * %. */
    value.cycles = groups.cycles[groups.n / 2];
    double margin = 6 + 0.003 * value.cycles;
    unsigned outer = groups.n == CYCLOPS_REGION_GROUPS;
    value.low = (groups.cycles[outer] - margin) * (1 - 3 * stolen);
    value.high = groups.cycles[groups.n - 1 - outer] + margin;
    value.why = cyclops_region_doubt(region, &groups, &samples, stolen);
    return value;
}

/* One line. */
static inline void cyclops_region_print(const struct cyclops_region *region, const char *name, FILE *out) {
    struct cyclops_region_value value = cyclops_region_get(region);
    if (isnan(value.cycles))
        fprintf(out, "%s: no value: %s\n", name, value.why);
    else
        fprintf(out, "%s: %.1f cycles (%.1f to %.1f)%s%s\n", name, value.cycles, value.low, value.high,
                value.why != NULL ? "; unstable: " : "", value.why != NULL ? value.why : "");
}

#endif
