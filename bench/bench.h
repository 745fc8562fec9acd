// Measures: how many cycles does one iteration of a piece of code take? Knows no model and no assembly: it gets
// bytes, runs them on a target, reads a clock, judges the samples and gives a value with an interval.
//
//     code ─► target runs rounds ─► judge each round ─► cycles of each ─► median, interval, verdict
//
// One round times, close together: the reference chain, a chain of multiplies, the code for `short` and for `long`
// iterations, independent instructions, and the reference chain again. Method and sources: docs/method.md, and the
// comments in rounds.c, checks.c and statistics.c.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/measure/level.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a piece of code keeps busy of its core. A thread beside us may take one of these and leave the others alone.
enum bench_use {
    USE_INTEGER, // arithmetic on general registers
    USE_VECTOR,  // arithmetic on vector and floating-point registers
    USE_LOAD,
    USE_STORE,
    BENCH_N_USES,
};
enum { BENCH_ALL_USES = (1 << BENCH_N_USES) - 1 }; // bits, of code of which nothing is known

// A function void (uint64_t iterations, void *memory) as bytes; position-independent.
struct bench_code {
    const uint8_t *bytes;
    size_t n_bytes;
    unsigned bodies; // copies of the body that one iteration executes (the unroll factor)
    // Bytes that one body executes: for targets that simulate.
    const uint8_t *body;
    size_t n_body_bytes;
    unsigned body_instructions; // instructions in those bytes; 0: unknown
    // Instructions that one iteration executes: all bodies, and the loop's own. 0: unknown, and so not checked.
    uint64_t iteration_instructions;
    unsigned offset; // bytes behind a multiple of the page's size at which it is to start, where the target can choose
    unsigned uses;   // bits: 1 << enum bench_use
    bool is_wide;    // uses vectors of more than 128 bits
    double body_cycles; // that one body is known to take: of a session's reference, above 0; else 0
    // Only code with the same number shares a process. 0: code that leaves nothing behind for the next.
    unsigned process_set;
    // What code of unknown origin finds, and where it is sent when it cannot go on. Zero: code that is known.
    struct bench_foreign {
        // From the code's start to where it can be sent at any time, and returns: that needs nothing but its frame,
        // BENCH_FRAME_WORDS words at BENCH_FRAME_DISTANCE before the exit, that only the code's own start and exit use.
        // At most BENCH_MOST_EXIT_OFFSET, so that one page holds the frame. 0: there is no such place, and a fault ends
        // the process.
        size_t exit_offset;
        unsigned most_pages;     // of memory that may appear where it touches some, to BENCH_MOST_PAGES; 0: none
        unsigned frames;         // pages that stand behind all of these, 1 to BENCH_MOST_FRAMES
        uint64_t fill;           // each 8 bytes of them, before each run; in the order of the machine's bytes
        uint64_t lowest_address; // at which memory may appear; the system may forbid more
        bool stores;             // it may change what the memory holds
    } foreign;
};

// Of unknown origin, and sent away when it cannot go on.
static inline bool bench_code_is_foreign(const struct bench_code *code) {
    return code->foreign.exit_offset != 0;
}

enum { BENCH_FRAME_DISTANCE = 1 << 16, BENCH_FRAME_WORDS = 298, BENCH_MOST_EXIT_OFFSET = 1024 };
enum { BENCH_MOST_FRAMES = 8, BENCH_MOST_PAGES = 4096 };

// How the run of a piece of code ended.
enum bench_outcome {
    BENCH_OK,
    BENCH_SIGILL,     // illegal instruction
    BENCH_SIGSEGV,    // touched memory that is not there, or not for it
    BENCH_SIGBUS,     // alignment, mostly
    BENCH_SIGFPE,     // arithmetic exception
    BENCH_SIGTRAP,    // breakpoint
    BENCH_PROTECTION, // x86: general protection: what is not an address, or is not aligned
    BENCH_PAGES,      // touched more pages than it may
    BENCH_TIMEOUT,    // did not end within its time
    BENCH_KILLED,     // another signal, or an exit
    BENCH_SYSCALL,    // tried to call the kernel
    BENCH_STACK,      // ran off its stack
    BENCH_JUMP,       // went where there is no code
    BENCH_PRIVILEGED, // an instruction that only a kernel may use; on x86-64 (elsewhere it is illegal)
    BENCH_OVERWROTE,  // wrote over the harness's own results
    BENCH_STARVED,    // did not get its CPU; says nothing about the code
    BENCH_STOPPED,    // nor does that the user wanted no more: struct bench_options
    BENCH_N_OUTCOMES,
};
const char *bench_outcome_name(enum bench_outcome outcome); // "ok", "illegal instruction", …

// Why a sample was dropped.
enum bench_drop {
    DROP_SWITCH,    // the thread was switched out
    DROP_MIGRATION, // the thread moved to another CPU
    DROP_FAULT,     // page faults
    DROP_REFERENCE, // reference chain before and after differ: the frequency moved
    DROP_NEGATIVE,  // long ran no longer than short
    DROP_MULTIPLY,  // the multiply chain took another number of cycles than at calibration
    DROP_ISSUE,     // so did instructions that do nothing: another thread on the core takes issue slots
    DROP_STEAL,     // others ran on our CPU while we wanted to
    DROP_RETIRED,   // instructions retired are not those of the code: something else ran, too
    DROP_SIBLING,   // the kernel saw the other thread of our core busy
    DROP_BESIDE,    // the code that was to run beside it did not run all the time
    DROP_SLOWER,    // it is of a process that was slower than those of other times
    DROP_USES,      // from here on, by enum bench_use: so did instructions that use the same units as the code
    DROP_N_REASONS = DROP_USES + BENCH_N_USES,
};
const char *bench_drop_name(enum bench_drop reason); // "switch", "migration", …

// How sure a value is. exact: the interval holds one fraction k/n with a small n and is narrow enough to exclude
// its neighbours. within: narrow, but no such fraction. unstable: not to be trusted; `why` says why.
enum bench_verdict { MEASURED_EXACT, MEASURED_WITHIN, MEASURED_UNSTABLE };
const char *bench_verdict_name(enum bench_verdict verdict);

// Where the cycles come from.
enum bench_clock {
    CLOCK_AUTO,  // the best of the others that works here
    CLOCK_RDPMC, // hardware cycles, read by the thread itself from its counter
    CLOCK_PERF,  // hardware cycles of a pinned perf_event group
    CLOCK_RATIO, // time over the time of a chain of dependent adds (of known latency, one cycle unless told otherwise)
    CLOCK_TIME,  // time × the frequency that somebody states; never chosen by CLOCK_AUTO
    BENCH_N_CLOCKS,
};
bool bench_clock_counts(enum bench_clock clock); // hardware counters are used, or may be (CLOCK_AUTO)
const char *bench_clock_name(enum bench_clock clock);
bool bench_clock_parse(const char *name, enum bench_clock *clock);
bool bench_frequency_parse(const char *text, double *hz); // "1GHz", "1.66 GHz", "480MHz", "32768"

enum { BENCH_MAX_EVENTS = 33 };

enum { BENCH_MAX_REPLICATES = 8 };

// Where code could not go on.
struct bench_fault {
    bool is_known;          // else the rest means nothing
    bool has_address;       // else the CPU gave none
    bool is_write;          // of the access; x86 only
    size_t offset;          // of the instruction, from the code's start, bytes
    uint64_t address;       // of the access
    uint64_t registers[32]; // general ones at that moment, in the order of the ISA's numbers
};

// What was seen of code of unknown origin while it ran.
struct bench_seen {
    struct bench_fault fault;
    // Iterations that it came back from, where it does not come back from twice as many (it walks over too many pages,
    // what it computes are not addresses); 0: no such limit was met.
    uint64_t most_iterations;
    unsigned pages; // that appeared where it touched memory
};

struct bench_measurement {
    enum bench_outcome outcome; // the rest is meaningless unless BENCH_OK
    struct bench_seen seen;     // of code of unknown origin, whatever the outcome
    double cycles;              // per body, median
    double low, high;           // confidence interval of the median, cycles per body
    double confidence;          // of that interval, 0 to 1
    double clock_error;         // relative error of the clock itself, such as 0.003; comes on top of the interval
    enum bench_verdict verdict;
    unsigned numerator, denominator; // of the fraction, where the verdict is exact
    const char *why;                 // one clause, where the verdict is unstable
    const char *warning;             // one clause: the value is steady, but should make one wonder; null: none
    enum bench_clock clock;
    struct bench_mode { // where the verdict is unstable because the samples fall into two groups; else 0
        double cycles;  // per body, median of the group
        double share;   // of the samples, 0 to 1
    } modes[2];
    unsigned n_replicates; // of the same code, laid out in other ways: see replication.h
    struct bench_replicate {
        const char *change;       // how
        double cycles, low, high; // as above
        enum bench_verdict verdict;
    } replicates[BENCH_MAX_REPLICATES];
    // Of one body of the code that another hardware thread ran beside it, in cycles of the measured CPU: median and
    // confidence interval, with what the target is off besides (target.h, beside_error); 0: none did.
    double beside, beside_low, beside_high;
    unsigned processes;               // fresh ones that the samples come from
    double process_low, process_high; // least and largest median of one of them, cycles per body
    unsigned samples;                 // kept
    unsigned dropped[DROP_N_REASONS];
    double milliseconds; // spent on it
    unsigned n_events;   // counters beside cycles; rdpmc and perf clocks only. The first is "instructions"
    struct bench_event {
        const char *name;
        double count;      // per body, median
        double low, high;  // confidence interval of the median, per body
        double confidence; // of that interval, 0 to 1
        unsigned samples;  // rounds that counted it and were kept; 0: there is no count; or, without `why`, the file it
                           // is from says nothing of its interval
        const char *why;   // one clause, where there is no count or it is not to be trusted; else null
    } events[BENCH_MAX_EVENTS];
};

// What the value may be: its interval with the clock's own error on top. Every report, and whatever tells two values
// apart, asks here.
// Cycles per body.
double measured_low(const struct bench_measurement *m);
double measured_high(const struct bench_measurement *m);
double measured_half_width(const struct bench_measurement *m); // behind the ± of reports: the wider half

// Less than this share of the smaller value is no difference worth a word.
#define MEASURED_LEAST_DIFFERENCE 0.01
bool measured_differ(const struct bench_measurement *a, const struct bench_measurement *b);

struct target;

// Code of known time that every round runs beside the reference; see checks.c. In cycles per body: a property of the
// CPU, so a change means that the round was not alone on its core, or that the reference lies. The first two always
// run, each other one where the code uses what it feels.
enum bench_check {
    CHECK_MULTIPLY, // chain of dependent multiplies: latency-bound, as the reference, on another pipe
    CHECK_ISSUE,    // instructions that do nothing, as many as the CPU takes: bound by the front end
    CHECK_USES,     // from here on: as many as there are of each enum bench_use, in its order
    BENCH_N_CHECKS = CHECK_USES + BENCH_N_USES,
};
const char *bench_check_name(enum bench_check check); // "multiply", "issue", "integer", …

struct bench_options {
    enum bench_clock clock; // never worse than asked for: only CLOCK_AUTO chooses
    bool needs_counters;    // CLOCK_AUTO: never without, as events were asked for
    double precision;       // stop when the interval's half-width is below this share of the value; 0 = 0.002
    double budget_ms;       // stop after computing this long; 0 = 200. Ten times as long where a neighbour spoils it
    double retry_seconds;   // that a session may wait and compute until neighbours leave; 0: it does not wait
    double confirm_seconds; // that lie between the first and the last process of a value that is no plain fraction; 0 =
                            // 1; below 0: none need
    double timeout_seconds; // for one batch of rounds; 0 = 2
    unsigned processes;     // that the samples come from at least; 0 = 3
    int cpu;                // logical CPU to pin to; -1 = chosen
    double reference_cycles; // that one dependent add takes on this core; 0 = 1, or with CLOCK_TIME what is measured
    double frequency_hz;     // CLOCK_TIME: of the core; 0: what the target states
    const char *frequency_source;                      // whose word that is, for people
    int beside_cpu;                                    // for code that runs beside
    double remembered[BENCH_N_CLOCKS][BENCH_N_CHECKS]; // levels that earlier sessions found by each clock; 0: unknown
    bool remembers_little;                             // those sessions were few
    bool (*is_stopped)(void); // asked between processes: whether to measure no more; null: never
};

// A measuring session: target and clock are ready, the clock is calibrated.
struct bench {
    struct arena *arena;
    struct target *target;
    struct bench_options options;
    enum bench_clock clock;                   // in use, never CLOCK_AUTO
    struct bench_code reference;              // chain of dependent adds, body_cycles each
    uint64_t reference_short, reference_long; // iterations of the reference in each round
    struct bench_check_state {
        struct bench_code code;
        uint64_t n_short, n_long; // iterations in each round; n_long 0: not timed
        struct level level;       // what it takes when the core is ours alone, by this clock
    } checks[BENCH_N_CHECKS];
    double clock_error;        // relative; see calibrate.c for what it holds
    double frequency_hz;       // CLOCK_TIME: that is believed; else 0
    double ticks_per_cycle;    // of the timer, at calibration: per cycle of the reference
    double reference_spread;   // of the reference's change within a round, at calibration: between its quartiles
    double cross_check_cycles; // of one multiply
    bool stable;               // the cross-check came out an integer within 1 %
    bool is_doubtful;          // it did not, and may at another time
    const char *unstable_why;  // one clause, where it did not
    double retry_ms;           // left of options.retry_seconds
    bool is_new_here;          // what the checks take here is known from this session only: values are confirmed, all
    const char *passed_over;   // a better tier that was tried and was not stable, and why; null: none
    const char *clock_note;    // for people: which tier, why, and its error
};

// One clause for people: "ratio clock (1 cycle = 1 dependent add), ±0.10 %".
const char *bench_clock_summary(const struct bench *bench);

// The code that the clock rests on.
struct bench_chains {
    struct bench_code reference; // chain of dependent adds, one cycle each
    // Those of a use may be missing (no bodies), or not run on this CPU: then they are left out. A multiply takes a
    // whole number of cycles on a stable host.
    struct bench_code checks[BENCH_N_CHECKS];
};

// Calibrates. Fails when the wanted clock does not exist here (FAIL_UNAVAILABLE).
bool bench_open(struct bench *bench, struct arena *arena, struct target *target, const struct bench_options *options,
                const struct bench_chains *chains, struct fail *fail);

struct bench_listener;

// Waits until the checks are at their clean levels, with nobody else on the core, or `seconds` are over: then the
// session measures all the same. `listener`: null for none.
bool bench_wait_quiet(struct bench *bench, double seconds, const struct bench_listener *listener, struct fail *fail);

// Pieces of code that may share processes: a process costs more than a few rounds do.
enum { BENCH_MOST_TOGETHER = 32 };

// Who wants to hear of it meanwhile.
struct bench_listener {
    void *context;
    // results[index] is there; no order. It may come again, measured anew, where the first one was found to be a
    // neighbour's. False: measuring ends.
    bool (*done)(void *context, size_t index, struct fail *fail);
    // Nothing is computed until neighbours leave, or `seconds` are over; of `n_left` values. May be null.
    void (*waiting)(void *context, size_t n_left, double seconds);
};
// Measures `n` pieces of code, many of them in the same processes. Each value rests on as many processes as it would
// alone. Where the code ends one of them, all that it ran is measured again, each by itself. `listener`: null for none.
// False only when the harness itself failed; code that crashed is an outcome.
bool bench_measure(struct bench *bench, const struct bench_code *codes, struct bench_measurement *results, size_t n,
                   const struct bench_listener *listener, struct fail *fail);

// The same of one while another hardware thread runs `beside`: on the native target, on the CPU of the
// options. The clock's reference and the multiply check run while that thread waits (the issue check is left out), so
// cycles are the core's own, as without it.
bool bench_measure_beside(struct bench *bench, const struct bench_code *code, const struct bench_code *beside,
                          struct bench_measurement *result, struct fail *fail);

#endif
