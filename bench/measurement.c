// What a measurement says of itself: the words for its enumerations, in reports and in measurement files (so they never
// change), and what its value may be.
#include "bench/bench.h"

#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const outcome_names[BENCH_N_OUTCOMES] = {
    [BENCH_OK] = "ok",
    [BENCH_SIGILL] = "illegal instruction",
    [BENCH_SIGSEGV] = "segmentation fault",
    [BENCH_SIGBUS] = "bus error",
    [BENCH_SIGFPE] = "arithmetic exception",
    [BENCH_SIGTRAP] = "trap",
    [BENCH_PROTECTION] = "general protection",
    [BENCH_PAGES] = "too many pages",
    [BENCH_TIMEOUT] = "time-out",
    [BENCH_KILLED] = "killed",
    [BENCH_SYSCALL] = "system call",
    [BENCH_STACK] = "stack overflow",
    [BENCH_JUMP] = "jump outside the code",
    [BENCH_PRIVILEGED] = "privileged instruction",
    [BENCH_OVERWROTE] = "results overwritten",
    [BENCH_LEFT_LOOP] = "left its loop early",
    [BENCH_STARVED] = "no time on its CPU",
    [BENCH_STOPPED] = "stopped",
};
static const char *const drop_names[DROP_N_REASONS] = {
    [DROP_SWITCH] = "switch",
    [DROP_MIGRATION] = "migration",
    [DROP_FAULT] = "fault",
    [DROP_REFERENCE] = "reference",
    [DROP_NEGATIVE] = "negative",
    [DROP_MULTIPLY] = "multiply",
    [DROP_ISSUE] = "issue",
    [DROP_STEAL] = "steal",
    [DROP_RETIRED] = "retired",
    [DROP_SIBLING] = "sibling",
    [DROP_CORUNNER] = "beside",
    [DROP_SLOWER] = "slower",
    [DROP_GAP] = "gap",
    [DROP_USES + USE_INTEGER] = "integer",
    [DROP_USES + USE_VECTOR] = "vector",
    [DROP_USES + USE_LOAD] = "load",
    [DROP_USES + USE_STORE] = "store",
    [DROP_USES + USE_MASK] = "mask",
};
static const char *const check_names[BENCH_N_CHECKS] = {
    [CHECK_MULTIPLY] = "multiply",        [CHECK_ISSUE] = "issue",          [CHECK_USES + USE_INTEGER] = "integer",
    [CHECK_USES + USE_VECTOR] = "vector", [CHECK_USES + USE_LOAD] = "load", [CHECK_USES + USE_STORE] = "store",
    [CHECK_USES + USE_MASK] = "mask",
};
static const char *const verdict_names[] = {
    [MEASURED_EXACT] = "exact", [MEASURED_WITHIN] = "within", [MEASURED_UNSTABLE] = "unstable"};
static const char *const clock_names[BENCH_N_CLOCKS] = {[CLOCK_AUTO] = "auto",
                                                        [CLOCK_RDPMC] = "rdpmc",
                                                        [CLOCK_PERF] = "perf",
                                                        [CLOCK_RATIO] = "ratio",
                                                        [CLOCK_TIME] = "time"};

static const char *const look_names[BENCH_N_LOOKS] = {[LOOK_NONE] = "none",
                                                      [LOOK_FIRST] = "first",
                                                      [LOOK_MOVED] = "moved",
                                                      [LOOK_MODES] = "modes",
                                                      [LOOK_SPREAD] = "spread"};

const char *bench_outcome_name(enum bench_outcome outcome) {
    assert(outcome < BENCH_N_OUTCOMES);
    return outcome_names[outcome];
}

const char *bench_drop_name(enum bench_drop reason) {
    assert(reason < DROP_N_REASONS);
    return drop_names[reason];
}

const char *bench_check_name(enum bench_check check) {
    assert(check < BENCH_N_CHECKS);
    return check_names[check];
}

const char *bench_verdict_name(enum bench_verdict verdict) {
    assert(verdict <= MEASURED_UNSTABLE);
    return verdict_names[verdict];
}

const char *bench_memory_name(enum bench_memory memory) {
    static const char *const names[] = {"shared", "own", "turns", "large"};
    _Static_assert(sizeof names / sizeof *names == BENCH_N_MEMORIES, "each has a name");
    assert(memory < BENCH_N_MEMORIES);
    return names[memory];
}

const char *bench_look_name(enum bench_look look) {
    assert(look < BENCH_N_LOOKS);
    return look_names[look];
}

bool bench_look_is_uneven(enum bench_look look) {
    return look == LOOK_MODES || look == LOOK_SPREAD;
}

const char *bench_clock_name(enum bench_clock clock) {
    assert(clock < BENCH_N_CLOCKS);
    return clock_names[clock];
}

// "1GHz", "1.66 GHz", "480MHz", "32768"
static bool parse_frequency(const char *text, double *hz) {
    static const double least_hz = 1000; // "3" is a unit forgotten
    static const struct {
        const char *name;
        double hz;
    } units[] = {{"", 1}, {"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
    char *end;
    double value = strtod(text, &end);
    bool is_number = end != text && isfinite(value) && value > 0;
    while (*end == ' ')
        end++;
    for (size_t i = 0; is_number && i < sizeof units / sizeof *units; i++)
        if (strcasecmp(end, units[i].name) == 0) {
            if (value * units[i].hz < least_hz)
                return false;
            *hz = value * units[i].hz;
            return true;
        }
    return false;
}

bool bench_read_clock(const char *clock, const char *frequency, struct bench_options *options, struct fail *fail) {
    if (clock)
        options->clock = (enum bench_clock)text_find(clock, clock_names, BENCH_N_CLOCKS);
    if (options->clock == BENCH_N_CLOCKS)
        return fail_set(fail, FAIL_INPUT, "unknown clock '%s': there are auto, rdpmc, perf, ratio and time", clock);
    if (!frequency)
        return true;
    if (options->clock != CLOCK_TIME)
        return fail_set(fail, FAIL_INPUT, "--frequency is for --clock time; other clocks do not need it");
    return parse_frequency(frequency, &options->frequency_hz) ||
           fail_set(fail, FAIL_INPUT, "'%s' is not a frequency: write 1.66GHz, 480MHz or a number of Hz", frequency);
}

double measured_low(const struct bench_measurement *m) {
    return m->low * (1 - m->clock_error);
}

double measured_high(const struct bench_measurement *m) {
    return m->high * (1 + m->clock_error);
}

double measured_half_width(const struct bench_measurement *m) {
    return fmax(m->high - m->cycles, m->cycles - m->low) + m->clock_error * m->cycles;
}

bool measured_differ(const struct bench_measurement *a, const struct bench_measurement *b) {
    bool is_apart = measured_high(a) < measured_low(b) || measured_high(b) < measured_low(a);
    return is_apart && fabs(a->cycles - b->cycles) > MEASURED_LEAST_DIFFERENCE * fmin(a->cycles, b->cycles);
}

// Largest relative distance of modes that count as the same. It is also the least distance of two modes.
static const double same_mode = 0.01;

static bool is_near(double a, double b) {
    return fabs(a - b) <= same_mode * b;
}

// Whether a value may be one of two modes, or has the same ones.
static bool fits_modes(const struct bench_measurement *m, const struct bench_mode modes[2]) {
    if (m->look == LOOK_MODES)
        return is_near(m->modes[0].cycles, modes[0].cycles) && is_near(m->modes[1].cycles, modes[1].cycles);
    return is_near(m->cycles, modes[0].cycles) || is_near(m->cycles, modes[1].cycles);
}

// Modes that several looks share.
struct shared_modes {
    double low, high; // ends of them
    double share;     // of the lower one, in one of the looks
    unsigned n;       // looks
};

// Finds the looks that share these modes.
static struct shared_modes share_modes(const struct bench_looks *looks, const struct bench_mode modes[2]) {
    struct shared_modes shared = {modes[0].cycles, modes[1].cycles, modes[0].share, 0};
    for (size_t i = 0; i < looks->n_modes; i++) {
        const struct bench_measurement *look = looks->modes[i];
        if (look->look != LOOK_MODES || !fits_modes(look, modes))
            continue;
        shared.low = fmin(shared.low, look->modes[0].cycles);
        shared.high = fmax(shared.high, look->modes[1].cycles);
        shared.n++;
    }
    return shared;
}

// Holds a value against earlier looks that found two modes. Where enough of them found the same ones, they are two
// speeds of the code. Before that, a single value that is slower than a mode is doubtful: no neighbour makes code
// faster.
static void compare_modes(struct arena *arena, const struct bench_looks *looks, struct bench_measurement *m) {
    bool is_single = m->verdict != MEASURED_UNSTABLE;
    struct shared_modes best = {.n = 0};
    double fastest = m->cycles;
    if (m->look == LOOK_MODES)
        best = share_modes(looks, m->modes);
    for (size_t i = 0; is_single && i < looks->n_modes; i++) {
        const struct bench_mode *modes = looks->modes[i]->modes;
        if (looks->modes[i]->look != LOOK_MODES) // the fastest process of a spread may owe it to a slowed reference
            continue;
        struct shared_modes shared = share_modes(looks, modes);
        fastest = fmin(fastest, modes[0].cycles);
        if (fits_modes(m, modes) && shared.n > best.n)
            best = shared;
    }
    if (best.n + 1 >= MEASURED_LOOKS_AT_MODES) {
        m->verdict = MEASURED_WITHIN;
        m->is_about = false;
        m->look = LOOK_NONE;
        m->low = best.low * (1 - same_mode);
        m->high = best.high * (1 + same_mode);
        m->modes[0] = (struct bench_mode){best.low, best.share};
        m->modes[1] = (struct bench_mode){best.high, 1 - best.share};
        m->why = NULL;
        m->warning =
            arena_printf(arena, "two speeds, at %u times: %.4g and %.4g cycles", best.n + 1, best.low, best.high);
    } else if (is_single && !is_near(m->cycles, fastest)) {
        m->verdict = MEASURED_UNSTABLE;
        m->why = arena_printf(arena, "%.4g cycles at one time and %.4g at another", fastest, m->cycles);
    }
}

// Largest spread that is a result: what lies further apart says too little.
static const double most_spread = 0.3;

// Whether a look's spread and the range have half of the narrower one in common.
static bool do_overlap(const struct bench_mode modes[2], double low, double high) {
    double common = fmin(high, modes[1].cycles) - fmax(low, modes[0].cycles);
    double narrower = fmin(high - low, modes[1].cycles - modes[0].cycles);
    return common >= narrower / 2 - same_mode * low;
}

static double fastest_process(const struct bench_measurement *look) {
    return look->process_low > 0 ? fmin(look->process_low, look->modes[0].cycles) : look->modes[0].cycles;
}

// Holds a value against earlier looks of which each process had another value. Where enough of them had such values in
// the same range, it is the code's. It holds the fastest process of each, and a faster first look: what others slow
// most of the time may be undisturbed in one process.
static void compare_spreads(struct arena *arena, const struct bench_looks *looks, struct bench_measurement *m) {
    bool is_spread = m->look == LOOK_SPREAD;
    double low = m->modes[0].cycles, high = m->modes[1].cycles, least = fastest_process(m), most = high;
    unsigned n = 1;
    for (size_t i = 0; i < looks->n_modes; i++) {
        const struct bench_measurement *look = looks->modes[i];
        if (!do_overlap(look->modes, low, high))
            continue;
        least = fmin(least, fastest_process(look));
        most = fmax(most, look->modes[1].cycles);
        is_spread |= look->look == LOOK_SPREAD;
        n++;
    }
    if (looks->fastest && looks->fastest->cycles < least)
        least = looks->fastest->cycles;
    if (!is_spread || n < MEASURED_LOOKS_AT_MODES || most > (1 + most_spread) * least)
        return;
    m->verdict = MEASURED_WITHIN;
    m->is_about = false;
    m->look = LOOK_NONE;
    m->low = least * (1 - same_mode);
    m->high = most * (1 + same_mode);
    m->modes[0].cycles = least;
    m->modes[1].cycles = most;
    m->why = NULL;
    m->warning = arena_printf(arena, "another value in each process, at %u times: %.4g to %.4g cycles", n, least, most);
}

void measured_confirm(struct arena *arena, const struct bench_looks *looks, struct bench_measurement *m) {
    if (m->outcome != BENCH_OK)
        return;
    bool is_single = m->verdict != MEASURED_UNSTABLE,
         has_modes = bench_look_is_uneven(m->look) || (is_single && looks->n_modes);
    if (has_modes && m->n_replicates == 0) { // other layouts are other code
        compare_modes(arena, looks, m);
        if (bench_look_is_uneven(m->look))
            compare_spreads(arena, looks, m);
    }
    if (m->verdict == MEASURED_UNSTABLE || !looks->fastest || !measured_differ(m, looks->fastest))
        return;
    m->verdict = MEASURED_UNSTABLE;
    m->look = LOOK_MOVED;
    m->warning = NULL;
    m->why = arena_printf(arena, "%.4g cycles at one time and %.4g at another", looks->fastest->cycles, m->cycles);
}

bool measured_has_two_speeds(const struct bench_measurement *m) {
    return m->verdict != MEASURED_UNSTABLE && m->modes[1].share > 0;
}
