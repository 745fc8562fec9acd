#include "hot/replay.h"

#include "bench/sandbox/steps.h"
#include "hot/stop.h"
#include "hot/stub.h"
#include "hot/trace.h"
#include "hot/ways.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 64, RUNS = 2 };

// All that one replay is made of.
struct replayed {
    struct lab *lab;
    const struct hot_state *state;
    struct trace trace;
    struct stop stop;
    struct ways ways;
    struct stub stub;
};

// ---- the path

// Steps through two replays, which must take the recorded path. Returns null; or why they do not, one clause.
static const char *check_path(struct replayed *replayed) {
    struct arena *arena = replayed->lab->arena;
    const struct hot_state *state = replayed->state;
    const struct bench_code *code = &replayed->stub.code;
    size_t n = replayed->stop.n_steps;
    const struct steps_request request = {.code = code,
                                          .iterations = RUNS,
                                          .has_segments = true,
                                          .most = (size_t)2 * RUNS * n + STOP_JUMP_BYTES,
                                          .timeout_seconds = 10};
    struct steps steps;
    struct fail why = {0};
    if (!steps_record(arena, &request, &steps, &why))
        return why.status == FAIL_UNAVAILABLE
                   ? arena_printf(arena, "its memory and code cannot be put where they were: %s", why.text)
                   : "it takes another path than recorded";
    if (steps.outcome == BENCH_SIGILL)
        return "this CPU lacks an instruction that it has";
    uint32_t jump = (uint32_t)(replayed->stop.exit - code->address);
    size_t at = 0;
    for (unsigned run = 0; run < RUNS; run++) {
        for (size_t i = 0; i < n; i++) {
            uint64_t behind = state->steps[i] - replayed->stop.exit;
            if (behind && behind < replayed->stop.n_moved) // it runs elsewhere
                continue;
            const uint32_t expected = (uint32_t)(state->steps[i] - code->address);
            // A gather or scatter is interrupted by a page that is not there yet.
            while (at && at < steps.n && steps.offsets[at] == steps.offsets[at - 1] && steps.offsets[at] != expected)
                at++;
            if (at >= steps.n || steps.offsets[at++] != expected)
                return arena_printf(arena, "%s takes another path than recorded after %zu instructions%s%s",
                                    run ? "a second replay" : "it", i, steps.outcome == BENCH_OK ? "" : ": ",
                                    steps.outcome == BENCH_OK ? "" : bench_outcome_name(steps.outcome));
        }
        if (at >= steps.n || steps.offsets[at++] != jump)
            return "it does not come to its end";
    }
    return steps.outcome == BENCH_OK ? NULL : arena_printf(arena, "it ends by: %s", bench_outcome_name(steps.outcome));
}

// ---- the measurement

static void note_code(struct replayed *replayed) {
    struct arena *arena = replayed->lab->arena;
    struct bench_code *code = &replayed->stub.code;
    size_t n = 0, at = 0;
    for (size_t i = 0; i < replayed->trace.n_insns; i++)
        n += replayed->trace.insns[i].insn->n_bytes;
    uint8_t *body = ARENA_ARRAY(arena, uint8_t, n + 1);
    for (size_t i = 0; i < replayed->trace.n_insns; i++) {
        const struct book_insn *insn = replayed->trace.insns[i].insn;
        memcpy(body + at, insn->bytes, insn->n_bytes);
        at += insn->n_bytes;
    }
    code->body = body;
    code->n_body_bytes = n;
    code_uses_find(&replayed->lab->uses, code);
    code->is_wide = replayed->ways.is_wide;
    replayed->stub.twin.uses = code->uses;
    replayed->stub.twin.is_wide = code->is_wide;
}

static const char *name_level(size_t n_bytes) {
    static const struct {
        int number;
        const char *name;
    } levels[] = {{_SC_LEVEL1_DCACHE_SIZE, "L1"}, {_SC_LEVEL2_CACHE_SIZE, "L2"}, {_SC_LEVEL3_CACHE_SIZE, "L3"}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        long size = sysconf(levels[i].number);
        if (size > 0 && n_bytes <= (size_t)size)
            return levels[i].name;
    }
    return "memory";
}

enum { COUNTER = 4 }; // instructions of a counter that ends a replay

// A counter that runs often makes a short loop another one: several times as long, where a turn takes a cycle or two.
static void distrust_counter(const struct replayed *replayed, struct hot_replay *replay) {
    static const double most_counting = 0.05; // of all instructions
    if ((double)replayed->stop.count * COUNTER <= most_counting * (double)replay->n_steps)
        return;
    replay->measurement.verdict = MEASURED_UNSTABLE;
    replay->measurement.why = "the counter that ends it is a part of it: the loop itself takes less";
    replay->low = replay->measurement.low = 0;
}

static const char *join(struct arena *arena, const char *first, const char *second) {
    return first ? arena_printf(arena, "%s; %s", first, second) : second;
}

static const char *find_doubt(struct arena *arena, const struct replayed *replayed, const struct hot_replay *replay) {
    static const double long_replay = 1000;   // cycles, beside which the start and end of a replay are little
    static const double most_counting = 0.01; // of all instructions
    static const uint64_t few_turns = 5;
    const struct hot_state *state = replayed->state;
    const char *doubt = NULL;
    double counted = (double)replayed->stop.count / (double)replay->turns;
    if (replay->measurement.cycles < long_replay)
        doubt = arena_printf(arena, "a replay takes only %.0f cycles, of which its start and end are a part",
                             replay->measurement.cycles);
    if ((double)replayed->stop.count * COUNTER > most_counting * (double)replay->n_steps)
        doubt = join(
            arena, doubt,
            arena_printf(arena, "the counter that ends it adds %d instructions, %.2g times a turn", COUNTER, counted));
    if (replay->turns < few_turns)
        doubt = join(arena, doubt,
                     arena_printf(arena, "only %llu turn%s copied: others may take another time",
                                  (unsigned long long)replay->turns, replay->turns == 1 ? " is" : "s are"));
    if (state->entries > 1)
        doubt = join(arena, doubt,
                     arena_printf(arena, "code around it is in it: it was left and entered again %llu times",
                                  (unsigned long long)(state->entries - 1)));
    if (strcmp(replay->level, "L1") != 0)
        doubt = join(arena, doubt,
                     arena_printf(arena,
                                  "the copied turns alone touch %zu KiB, more than the L1 cache holds: replays find "
                                  "them in %s, where the program may have its data further away",
                                  replay->n_bytes >> 10, replay->level));
    return doubt;
}

// Ends of all that was seen of a value: where it is not stable, also its modes.
static void find_ends(const struct bench_measurement *m, double *low, double *high) {
    *low = measured_low(m);
    *high = measured_high(m);
    if (m->verdict != MEASURED_UNSTABLE)
        return;
    static const double least_share = 0.2; // a rarer mode does not move the median
    for (unsigned i = 0; i < 2; i++)
        if (m->modes[i].cycles > 0 && m->modes[i].share >= least_share) {
            *low = fmin(*low, m->modes[i].cycles);
            *high = fmax(*high, m->modes[i].cycles);
        }
}

// The difference of both values, with the doubt of both. That of the twin matters only beside the whole.
static void subtract(struct arena *arena, const struct bench_measurement *whole, const struct bench_measurement *twin,
                     struct hot_replay *replay) {
    static const double most_doubt = 0.01, widest = 0.1; // of the value
    struct bench_measurement *m = &replay->measurement;
    double low, high;
    find_ends(twin, &low, &high);
    *m = *whole;
    m->cycles = whole->cycles - twin->cycles;
    m->low = measured_low(whole) - high;
    m->high = measured_high(whole) - low;
    m->clock_error = 0; // it is in these
    m->numerator = m->denominator = 0;
    for (unsigned i = 0; i < 2; i++)
        m->modes[i].cycles = m->modes[i].cycles > 0 ? fmax(0, m->modes[i].cycles - twin->cycles) : 0;
    m->process_low = fmax(0, m->process_low - twin->cycles);
    m->process_high = fmax(0, m->process_high - twin->cycles);
    if (m->verdict == MEASURED_EXACT)
        m->verdict = MEASURED_WITHIN;
    bool is_doubtful = twin->verdict == MEASURED_UNSTABLE && high - low > most_doubt * m->cycles;
    if (m->verdict != MEASURED_UNSTABLE && is_doubtful) {
        m->verdict = MEASURED_UNSTABLE;
        m->why = arena_printf(arena, "putting the state in place takes %.0f to %.0f cycles", low, high);
    }
    if (m->verdict != MEASURED_UNSTABLE && m->high - m->low > widest * m->cycles) {
        m->verdict = MEASURED_UNSTABLE;
        m->why = arena_printf(arena, "replays take %.0f to %.0f cycles", m->low, m->high);
    }
    double turns = (double)replay->turns;
    replay->cycles_per_turn = m->cycles / turns;
    replay->low = m->low / turns;
    replay->high = m->high / turns;
}

// Measures those that can be replayed.
static bool measure(struct lab *lab, struct replayed *replayed, size_t n, struct hot_replay *replays,
                    struct fail *fail) {
    struct bench_code *codes = ARENA_ARRAY(lab->arena, struct bench_code, 2 * n + 1);
    struct bench_measurement *results = ARENA_ARRAY(lab->arena, struct bench_measurement, 2 * n + 1);
    unsigned n_codes = 0;
    for (size_t i = 0; i < n; i++) {
        if (replays[i].why)
            continue;
        codes[n_codes++] = replayed[i].stub.code;
        codes[n_codes++] = replayed[i].stub.twin;
    }
    // All have one place in memory, so each is alone in its processes.
    for (unsigned i = 0; i < n_codes; i++)
        codes[i].process_set = i + 1;
    if (n_codes && !bench_measure(&lab->bench, codes, results, n_codes, NULL, fail))
        return false;
    const struct bench_measurement *pair = results;
    for (size_t i = 0; i < n; i++) {
        struct hot_replay *replay = &replays[i];
        if (replay->why)
            continue;
        for (unsigned k = 0; k < 2 && !replay->why; k++)
            if (pair[k].outcome != BENCH_OK)
                replay->why =
                    arena_printf(lab->arena, "the measured replay ends by: %s", bench_outcome_name(pair[k].outcome));
        if (!replay->why) {
            subtract(lab->arena, &pair[0], &pair[1], replay);
            distrust_counter(&replayed[i], replay);
        }
        pair += 2;
    }
    return true;
}

// ---- all of it

static const char *find_obstacle(const struct replayed *replayed) {
    bool missing;
    stub_components(replayed->state, &missing);
    if (replayed->lab->is_simulated || replayed->lab->isa != isa_find("x86_64") || !isa_native() ||
        replayed->lab->isa != isa_native())
        return "states are replayed on x86-64, by the target native";
    if (missing)
        return "this CPU lacks registers that the state has";
    if (replayed->ways.uses_fs && !stub_can_set_fs())
        return "this kernel or CPU does not let programs set the base of fs, which "
               "it uses";
    return NULL;
}

static const char *prepare(struct replayed *replayed, struct hot_replay *replay) {
    struct arena *arena = replayed->lab->arena;
    const char *why = trace_open(&replayed->trace, arena, &replayed->lab->decoder, replayed->state);
    why = why ? why : stop_choose(arena, &replayed->trace, &replayed->stop);
    if (why)
        return why;
    ways_find(arena, &replayed->trace, &replayed->stop, &replayed->ways);
    replay->stop = replayed->stop.kind;
    replay->turns = replayed->stop.turns;
    replay->n_steps = replayed->stop.n_steps;
    replay->n_bytes = replayed->ways.n_lines * LINE;
    replay->level = name_level(replay->n_bytes);
    replay->accesses_split = replayed->ways.split;
    replay->accesses_crossing = replayed->ways.crossing;
    replay->forwarded = replayed->ways.forwarded;
    replay->branches = replayed->ways.branches;
    replay->n_branches = replayed->ways.n_branches;
    const struct stub_request request = {.state = replayed->state,
                                         .trace = &replayed->trace,
                                         .stop = &replayed->stop,
                                         .lines = replayed->ways.written,
                                         .keeps_code = replayed->ways.keeps_code,
                                         .uses_fs = replayed->ways.uses_fs};
    why = find_obstacle(replayed);
    return why ? why : stub_make(arena, &request, &replayed->stub);
}

bool hot_replay_run(struct lab *lab, const struct hot_state *const *states, size_t n, struct hot_replay *replays,
                    struct fail *fail) {
    struct replayed *replayed = ARENA_ARRAY(lab->arena, struct replayed, n + 1);
    if (!lab->decoder.cpu && !decoder_open(&lab->decoder, lab->arena, lab->isa, NULL, fail))
        return false;
    for (size_t i = 0; i < n; i++) {
        replayed[i] = (struct replayed){.lab = lab, .state = states[i]};
        replays[i] = (struct hot_replay){.level = NULL};
        replays[i].why = prepare(&replayed[i], &replays[i]);
        if (!replays[i].why)
            replays[i].why = check_path(&replayed[i]);
        if (!replays[i].why)
            note_code(&replayed[i]);
    }
    if (!measure(lab, replayed, n, replays, fail))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!replays[i].why)
            replays[i].doubt = find_doubt(lab->arena, &replayed[i], &replays[i]);
    return true;
}
