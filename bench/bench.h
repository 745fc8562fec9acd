// Measures: how many cycles does one iteration of a piece of code take? Knows no model and no assembly: it gets
// bytes, runs them on a target, reads a clock, judges the samples and gives a value with an interval.
//
//     code ─► target runs rounds ─► judge each round ─► cycles of each ─► median, interval, verdict
//
// One round times, close together: the reference chain, a chain of multiplies, the code for `short` and for `long`
// iterations, independent instructions, and the reference chain again. Method and sources: docs/how-it-works/method.md,
// and the comments in rounds.c, checks.c and statistics.c.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/segment.h"
#include "bench/measure/level.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Kinds of units that a piece of code keeps busy. A neighbour may take one kind and leave the others alone.
enum bench_use {
    USE_INTEGER, // arithmetic on general registers
    USE_VECTOR,  // arithmetic on vector and floating-point registers
    USE_LOAD,
    USE_STORE,
    USE_MASK, // loads whose result is in a mask register, of which comparisons were seen to slow down
    BENCH_N_USES,
};
enum { BENCH_ALL_USES = (1 << BENCH_N_USES) - 1 }; // bits; uses of code that could not be decoded

enum { BENCH_PATCH_BYTES = 64 };
enum { BENCH_MOST_CHASES = 12, BENCH_CHASES = (1 << 15) - 8 * BENCH_MOST_CHASES };

// A function void (uint64_t iterations, void *memory) as bytes; position-independent.
struct bench_code {
    const uint8_t *bytes;
    size_t n_bytes;
    unsigned bodies; // copies of the body that one iteration executes (the unroll factor)
    // Bytes that one body executes, for targets that simulate.
    const uint8_t *body;
    size_t n_body_bytes;
    unsigned body_instructions; // instructions in those bytes; 0: unknown
    // Instructions that one iteration executes: all bodies, and the loop's own. 0: unknown, not checked.
    uint64_t iteration_instructions;
    unsigned offset;         // start within a page, bytes, where the target can choose
    unsigned uses;           // bits: 1 << enum bench_use
    bool is_wide;            // uses vectors of more than 128 bits
    bool is_chain;           // each copy waits for the one before it, so a copy takes a whole number of cycles
    double body_cycles;      // known cycles of one body, above 0, for a session's reference; else 0
    unsigned seen_processes; // processes of an earlier look, which count to those that its value needs
    // Number that code must have in common to share a process. 0: code that leaves nothing behind for the next.
    unsigned process_set;
    // Rings of addresses in memory, through which the code loads. Before each call, words of the buffer at
    // BENCH_CHASES from its middle hold the addresses where it goes on.
    struct bench_chase {
        unsigned n;   // number of rings, to BENCH_MOST_CHASES
        size_t bytes; // size of each ring; see chase_memory_make for which
        // Where its addresses are: in each line; the same, in blocks of 128 KiB; in each page of 4 KiB, in another line
        // than in the page before.
        enum bench_chase_layout { BENCH_CHASE_LINES, BENCH_CHASE_BLOCKS, BENCH_CHASE_PAGES } layout;
        unsigned steps[BENCH_MOST_CHASES]; // loads in each ring that one body makes
        const uint8_t *are_steps; // for each instruction of a body: it is such a load. For targets that simulate
    } chase;
    // Where its first byte must be, and memory that must be where these say; 0: it may be anywhere. Segments begin at
    // multiples of a page, lie below the code's frame, and do not share pages. What is writable holds its content again
    // before each run, up to BENCH_MOST_RESTORED bytes of it. Such code has a process of its own.
    uint64_t address;
    const struct segment *segments; // in the order of their addresses
    unsigned n_segments;
    bool are_segments_far; // they may be anywhere, with other memory in between; calls of the system are then only
                           // forbidden in the code, and faults only answered there
    // What code of unknown origin finds, and where it is sent when it cannot go on. Zero: known code.
    struct bench_foreign {
        // Offset of the exit from the code's start, bytes, at most BENCH_MOST_EXIT_OFFSET: one page holds the frame.
        // Code can be sent to its exit at any time, and returns from there. The exit needs only the frame:
        // BENCH_FRAME_WORDS words at BENCH_FRAME_DISTANCE before it, which only the code's own start and exit use.
        // 0: no exit; a fault ends the process.
        size_t exit_offset;
        unsigned most_pages; // limit of pages that may appear where it touches memory, to BENCH_MOST_PAGES; 0: none
        // Each page is memory of its own, as far as the first-level cache holds them; see enum bench_memory. Else they
        // are views of `frames` real pages, by their addresses.
        bool is_own;
        unsigned frames;         // real pages, 1 to BENCH_MOST_FRAMES; own: that the cache holds, 0: this machine's
        uint64_t fill;           // content of each 8 bytes before each run, in the machine's byte order
        uint64_t lowest_address; // lowest address where memory may appear; the system may forbid more
        bool stores;             // it may change what the memory holds
        // Bytes that memory holds instead of `fill`: n_value of them, repeated. Of two at one place, the later one
        // counts.
        const struct bench_patch {
            uint64_t address, n_bytes;
            uint8_t value[BENCH_PATCH_BYTES];
            unsigned n_value;
        } * patches;
        unsigned n_patches;
        // Accesses that may never fault, such as those whose mask is zero: their pages are there before the code runs.
        // Pass i through the body touches `size` bytes from `address` + i * `stride` on.
        const struct bench_touch {
            uint64_t address;
            int64_t stride;
            unsigned size;
        } * touches;
        unsigned n_touches;
        // A loop whose turns are its iterations: where it has made n of them, so many bits of this word of the frame
        // are those of  factor * n + addend.  bits 0: no such loop.
        struct bench_turns {
            unsigned word, bits;
            uint64_t factor, addend;
        } turns;
    } foreign;
};

// Whether code is of unknown origin, and is sent to its exit when it cannot go on.
static inline bool bench_code_is_foreign(const struct bench_code *code) {
    return code->foreign.exit_offset != 0;
}

enum { BENCH_FRAME_DISTANCE = 1 << 16, BENCH_FRAME_WORDS = 298, BENCH_MOST_EXIT_OFFSET = 1024 };
enum { BENCH_MOST_FRAMES = 8, BENCH_MOST_PAGES = 4096, BENCH_MOST_RESTORED = 1 << 20 };

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
    BENCH_LEFT_LOOP,  // left its loop before it had made its turns
    BENCH_STARVED,    // did not get its CPU; no statement about the code
    BENCH_STOPPED,    // the user ended the run (struct bench_options); no statement about the code either
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
    DROP_ISSUE,     // the issue check was too slow: a neighbour takes issue slots
    DROP_STEAL,     // others ran on our CPU while our thread was ready
    DROP_RETIRED,   // more or fewer instructions retired than the code has: something else ran, too
    DROP_SIBLING,   // the kernel saw the other thread of our core busy
    DROP_CORUNNER,  // the co-runner paused
    DROP_SLOWER,    // its process was slower than processes at other times
    DROP_GAP,       // something took the core away in nearly all of its bursts
    DROP_USES,      // from here on, by enum bench_use: a check of the same units as the code was too slow
    DROP_N_REASONS = DROP_USES + BENCH_N_USES,
};
const char *bench_drop_name(enum bench_drop reason); // "switch", "migration", …

// How sure a value is. exact: the interval holds one fraction k/n with a small n and is narrow enough to exclude
// its neighbours. within: narrow, but no such fraction. unstable: not to be trusted; `why` has the reason.
enum bench_verdict { MEASURED_EXACT, MEASURED_WITHIN, MEASURED_UNSTABLE };
const char *bench_verdict_name(enum bench_verdict verdict);

// Looks at code that is measured at several times, with few processes at each (bench_options.is_first_look). A value of
// one time may be one of two speeds, so it is unstable until a look at another time finds the same (measured_confirm).
enum bench_look {
    LOOK_NONE,   // not such a value: it has all processes that it needs, or it is unstable for another reason
    LOOK_FIRST,  // a value that only its number of processes makes unstable
    LOOK_MOVED,  // as stable in itself, but an earlier look found another value
    LOOK_MODES,  // a value that only its two modes make unstable
    LOOK_SPREAD, // a value that only its processes make unstable: each has another one, with no gap between them
    BENCH_N_LOOKS,
};
const char *bench_look_name(enum bench_look look); // "none", "first", "moved", "modes", "spread"
bool bench_look_is_uneven(enum bench_look look);   // LOOK_MODES or LOOK_SPREAD: the measurement's `modes` are its ends

// Where the cycles come from.
enum bench_clock {
    CLOCK_AUTO,  // the best of the others that works here
    CLOCK_RDPMC, // hardware cycles, read by the thread itself from its counter
    CLOCK_PERF,  // hardware cycles of a pinned perf_event group
    CLOCK_RATIO, // time over the time of a chain of dependent adds, of known latency (default: one cycle)
    CLOCK_TIME,  // time × the stated frequency; never chosen by CLOCK_AUTO
    BENCH_N_CLOCKS,
};
bool bench_clock_counts(enum bench_clock clock); // hardware counters are used, or may be (CLOCK_AUTO)
const char *bench_clock_name(enum bench_clock clock);

enum { BENCH_MAX_EVENTS = 33 };

enum { BENCH_MAX_REPLICATES = 8 };

// Where code could not go on.
struct bench_fault {
    bool is_known;          // else the rest means nothing
    bool has_address;       // else the CPU gave no address
    bool is_write;          // the access was a store; x86 only
    size_t offset;          // offset of the instruction from the code's start, bytes
    uint64_t address;       // address of the access
    uint64_t registers[32]; // general registers at the fault, by the ISA's numbers
};

// What stands behind the pages of code of unknown origin.
enum bench_memory {
    MEMORY_SHARED, // they are views of a few real pages, which may meet
    MEMORY_OWN,    // each is memory of its own, and the first-level cache holds them all
    // Pages that were left long ago lend their memory to later ones. So the cache holds it, and no two pages that the
    // CPU's window may hold at once are the same memory.
    MEMORY_TURNS,
    MEMORY_LARGE, // each is memory of its own; the first-level cache does not hold them, nor can they take turns
    BENCH_N_MEMORIES,
};
const char *bench_memory_name(enum bench_memory memory); // "shared", "own", "turns", "large"

// Observations of code of unknown origin while it ran.
struct bench_seen {
    struct bench_fault fault;
    // Iterations that it survives, where it does not survive twice as many: it walks over too many pages, or computes
    // what is not an address. 0: no such limit was met.
    uint64_t most_iterations;
    unsigned pages;           // pages that appeared where it touched memory
    enum bench_memory memory; // what stands behind them
};

struct bench_measurement {
    enum bench_outcome outcome; // the rest is meaningless unless BENCH_OK
    struct bench_seen seen;     // observations of code of unknown origin, whatever the outcome
    double cycles;              // median, cycles per body
    double low, high;           // confidence interval of the median, cycles per body
    double confidence;          // confidence of that interval, 0 to 1
    double clock_error;         // relative error of the clock itself, such as 0.003; comes on top of the interval
    enum bench_verdict verdict;
    unsigned numerator, denominator; // parts of the fraction, where the verdict is exact
    const char *why;                 // reason, one clause, where the verdict is unstable
    enum bench_look look;            // only where the verdict is unstable
    // Unstable, as the clock is unsteady, but most samples agree on the lowest mode: `cycles` is about that, and so is
    // the interval. For people only: nothing is concluded from it.
    bool is_about;
    const char *warning; // doubt about a steady value, one clause; null: none
    enum bench_clock clock;
    // Where the samples fall into two groups, these; where processes are apart, the least and the largest median of
    // one, without a tenth of them on each side; else 0.
    struct bench_mode {
        double cycles; // median of the group, cycles per body; the lower one first
        double share;  // share of the samples, 0 to 1
    } modes[2];
    unsigned n_replicates; // layouts of the same code: see replication.h. At most BENCH_MAX_REPLICATES
    struct bench_replicate {
        const char *change;       // difference of the layout, for people
        double cycles, low, high; // as above
        enum bench_verdict verdict;
    } * replicates;
    // One body of the co-runner: median and confidence interval, cycles of the measured CPU. The interval includes the
    // target's error (target.h, corunner_error). 0: no co-runner.
    double corunner, corunner_low, corunner_high;
    unsigned processes;               // fresh processes that the samples come from
    double process_low, process_high; // least and largest median of one process, cycles per body
    unsigned samples;                 // samples kept
    unsigned dropped[DROP_N_REASONS]; // rounds dropped
    double milliseconds;              // time spent on it
    unsigned n_events; // counters besides cycles; rdpmc and perf clocks only. The first is "instructions". At most
                       // BENCH_MAX_EVENTS
    struct bench_event {
        const char *name;
        double count;      // median per body
        double low, high;  // confidence interval of the median, per body
        double confidence; // confidence of that interval, 0 to 1
        // Rounds that counted it and were kept. 0: there is no count; or, without `why`, the measurement file has no
        // interval.
        unsigned samples;
        const char *why; // one clause, where there is no count or it is not to be trusted; else null
    } * events;
};

// Ends of the interval with the clock's own error on top, cycles per body. Reports and comparisons of values use these.
double measured_low(const struct bench_measurement *m);
double measured_high(const struct bench_measurement *m);
double measured_half_width(const struct bench_measurement *m); // the ± of reports: the wider half

// Earlier measurements of the same code, at other times.
struct bench_looks {
    const struct bench_measurement *fastest;      // fastest LOOK_FIRST, LOOK_MOVED or stable one; null: no such look
    const struct bench_measurement *const *modes; // each of an uneven look
    size_t n_modes;
};

// Compares a value with its earlier looks.
//  - A neighbour only slows. So a stable value that differs from the fastest look becomes LOOK_MOVED.
//  - A neighbour does not come back in the same way. So two modes that MEASURED_LOOKS_AT_MODES times share are two
//    speeds of the code: the interval then holds both, and the verdict is "within". It is wide, but the truth is in it.
//  - Likewise the spread of processes, where so many times have overlapping ones: the interval then holds them all.
enum { MEASURED_LOOKS_AT_MODES = 3 }; // this one and two earlier ones
void measured_confirm(struct arena *arena, const struct bench_looks *looks, struct bench_measurement *m);
bool measured_has_two_speeds(
    const struct bench_measurement *m); // the interval holds two modes or a spread, and the verdict is stable

// Values differ if they are apart by more than this share of the smaller one.
#define MEASURED_LEAST_DIFFERENCE 0.01
bool measured_differ(const struct bench_measurement *a, const struct bench_measurement *b);

struct target;

// Code of known cycles per body that every round times as well; see checks.c. Those cycles are a property of the CPU.
// So a change means that the round was not alone on its core, or that the reference is wrong. The first two checks
// always run, each other one where the code uses the same units.
enum bench_check {
    CHECK_MULTIPLY, // chain of dependent multiplies: latency-bound, as the reference, on another pipe
    CHECK_ISSUE,    // instructions that do nothing, as many as the CPU takes: bound by the front end
    CHECK_USES,     // from here on: a check for each enum bench_use, in its order
    BENCH_N_CHECKS = CHECK_USES + BENCH_N_USES,
};
const char *bench_check_name(enum bench_check check); // "multiply", "issue", "integer", …

struct bench_options {
    enum bench_clock clock; // requested clock; only CLOCK_AUTO chooses another
    bool needs_counters;    // CLOCK_AUTO: only clocks with counters, because events were requested
    double precision;       // half-width of the interval to stop at, as a share of the value; 0 = 0.002
    double budget_ms;       // computing time of a value, ms; 0 = 200. Ten times as long where a neighbour spoils it
    double retry_seconds;   // time that a session may wait and compute until neighbours leave; 0: it does not wait
    // Least time between the first and the last process of a value that is not a plain fraction, s; 0 = 1; below 0: no
    // limit.
    double confirm_seconds;
    double timeout_seconds;       // limit for one batch of rounds, s; 0 = 2
    unsigned processes;           // least number of processes that the samples come from; 0 = 3
    unsigned most_needed;         // limit of the processes that a throughput needs; 0: no limit
    bool is_first_look;           // values end with those processes: see enum bench_look
    bool is_hasty;                // a value does not wait for a neighbour to leave, and has no more time beside one
    int cpu;                      // logical CPU to pin to; -1 = chosen
    double reference_cycles;      // cycles of one dependent add on this core; 0 = 1, with CLOCK_TIME the measured ones
    double frequency_hz;          // CLOCK_TIME: frequency of the core, Hz; 0: the target's statement
    const char *frequency_source; // who states that frequency, for people
    int corunner_cpu;             // logical CPU of the co-runner
    double remembered[BENCH_N_CLOCKS][BENCH_N_CHECKS]; // levels that earlier sessions found by each clock; 0: unknown
    bool remembers_little;                             // those sessions were few
    bool (*is_stopped)(void);                          // called between processes: true ends the measuring; null: never
};

// How often, and for how long, something takes the core away: what a spin loop on the measuring CPU sees (gaps.h).
enum { BENCH_GAP_CLASSES = 12 };
struct bench_gaps {
    double seconds;       // time watched, s; 0: not known, and so is the rest
    double resolution_ns; // shorter gaps are not seen, ns
    // Gaps by length: class i holds those of 2^i × 100 ns and more, the last one all longer ones.
    unsigned count[BENCH_GAP_CLASSES];
    double total_us[BENCH_GAP_CLASSES]; // time of these together
    unsigned n_spoiling;                // gaps that spoil what they hit: those of BENCH_GAP_SPOILS_NS and more
    double shortest_us;                 // a tenth of these are shorter
    double share;                       // share of the time that all gaps take, 0 to 1
    // Clean windows between gaps that spoil: half of the clean time, and nine tenths of it, are in windows of at least
    // this length. 0: no such gap was seen.
    double median_window_us, short_window_us;
};
#define BENCH_GAP_SPOILS_NS 300
double bench_gaps_class_us(unsigned number);                 // shortest gap of a class, µs
double bench_gaps_per_second(const struct bench_gaps *gaps); // those that spoil
// One clause for people: "something takes the core away 17000 times a second, …".
const char *bench_gaps_summary(struct arena *arena, const struct bench_gaps *gaps);

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
        struct level level;       // its time on a quiet core, by this clock
    } checks[BENCH_N_CHECKS];
    double clock_error;      // relative error of the clock; calibrate.c lists its parts
    double frequency_hz;     // CLOCK_TIME: frequency in use, Hz; else 0
    double ticks_per_cycle;  // timer ticks per cycle of the reference, at calibration
    double reference_spread; // distance between the quartiles of the reference's change within a round, at calibration
    double cross_check_cycles; // cycles of one multiply
    bool stable;               // those cycles are a whole number within 1 %
    bool is_plateau;           // only the lowest mode of most samples is: something slows the others
    bool is_doubtful;          // they are not, and may be at another time
    const char *unstable_why;  // one clause, where they are not
    struct bench_gaps gaps;    // at calibration
    bool has_no_window;        // hardly a microsecond between them is clean: codes run once, and have no value
    // How rounds fit into clean windows: each has so many bursts, whose runs are the usual ones over `divisor`; 1, 1:
    // it is whole.
    unsigned n_bursts, divisor;
    double retry_ms;         // rest of options.retry_seconds, ms
    bool is_new_here;        // only this session knows the levels here, so every value is confirmed
    const char *passed_over; // a better clock that was tried and was not stable, and why; null: none
    const char *clock_note;  // for people: which clock, why, and its error
};

// One clause for people: "ratio clock (1 cycle = 1 dependent add), ±0.10 %".
const char *bench_clock_summary(const struct bench *bench);

// The code that every clock is calibrated with.
struct bench_chains {
    struct bench_code reference; // chain of dependent adds, one cycle each
    // The check of a use is left out where it is missing (no bodies) or does not run on this CPU. A multiply takes a
    // whole number of cycles on a stable host.
    struct bench_code checks[BENCH_N_CHECKS];
};

// Reads the values of --clock and --frequency into `options`; null: not given. Fails at an unknown clock, at what is
// not a frequency ("1GHz", "1.66 GHz", "480MHz", "32768"), and at a frequency for another clock than CLOCK_TIME.
bool bench_read_clock(const char *clock, const char *frequency, struct bench_options *options, struct fail *fail);

// Calibrates. Fails when the requested clock does not exist here (FAIL_UNAVAILABLE).
bool bench_open(struct bench *bench, struct arena *arena, struct target *target, const struct bench_options *options,
                const struct bench_chains *chains, struct fail *fail);

struct bench_listener;

// Calibrates again until the clock is steady, or until `seconds` are over. A session whose clock is not steady has
// unstable values only. `listener`: null for none.
bool bench_wait_steady(struct bench *bench, double seconds, const struct bench_listener *listener, struct fail *fail);

// Waits until the checks are at their levels, with nobody else on the core, or until `seconds` are over. The session
// measures in either case. `listener`: null for none.
bool bench_wait_quiet(struct bench *bench, double seconds, const struct bench_listener *listener, struct fail *fail);

// Limit of pieces of code that share a process: a process costs more than a few rounds do.
enum { BENCH_MOST_TOGETHER = 32 };

// Receives progress.
struct bench_listener {
    void *context;
    // results[index] is complete. Results come in any order. One may come again: a neighbour had slowed the first
    // measurement. False: measuring ends.
    bool (*done)(void *context, size_t index, struct fail *fail);
    // The session computes nothing until neighbours leave, or `seconds` are over; `n_left` values wait. May be null.
    void (*waiting)(void *context, size_t n_left, double seconds);
};
// Measures `n` pieces of code, many of them in the same processes. Each value comes from as many processes as it would
// alone. Where code ends a process, all code of that process is measured again, each by itself. `listener`: null for
// none. False only when the harness itself failed; code that crashed is an outcome.
bool bench_measure(struct bench *bench, const struct bench_code *codes, struct bench_measurement *results, size_t n,
                   const struct bench_listener *listener, struct fail *fail);

// Measures one piece of code while another hardware thread runs the co-runner `corunner`; on the native target, on the
// options' corunner_cpu. The clock's reference and the multiply check run while the co-runner waits, and the issue
// check is left out: cycles are the core's own, as without a co-runner.
bool bench_measure_corun(struct bench *bench, const struct bench_code *code, const struct bench_code *corunner,
                         struct bench_measurement *result, struct fail *fail);

#endif
