// The words for the enumerations of bench.h: in reports, and in measurement files (so they never change).
#include "bench/bench.h"

#include <assert.h>
#include <string.h>

static const char *const outcome_names[BENCH_N_OUTCOMES] = {
    [BENCH_OK] = "ok",
    [BENCH_SIGILL] = "illegal instruction",
    [BENCH_SIGSEGV] = "segmentation fault",
    [BENCH_SIGBUS] = "bus error",
    [BENCH_SIGFPE] = "arithmetic exception",
    [BENCH_SIGTRAP] = "trap",
    [BENCH_TIMEOUT] = "time-out",
    [BENCH_KILLED] = "killed",
    [BENCH_SYSCALL] = "system call",
    [BENCH_STACK] = "stack overflow",
    [BENCH_JUMP] = "jump outside the code",
    [BENCH_PRIVILEGED] = "privileged instruction",
    [BENCH_OVERWROTE] = "results overwritten",
};
static const char *const drop_names[DROP_N_REASONS] = {
    [DROP_SWITCH] = "switch",       [DROP_MIGRATION] = "migration", [DROP_FAULT] = "fault",
    [DROP_REFERENCE] = "reference", [DROP_NEGATIVE] = "negative",   [DROP_MULTIPLY] = "multiply",
    [DROP_ISSUE] = "issue",         [DROP_STEAL] = "steal",         [DROP_RETIRED] = "retired",
    [DROP_SIBLING] = "sibling",
};
static const char *const verdict_names[] = {
    [MEASURED_EXACT] = "exact", [MEASURED_WITHIN] = "within", [MEASURED_UNSTABLE] = "unstable"};
static const char *const clock_names[] = {
    [CLOCK_AUTO] = "auto", [CLOCK_RDPMC] = "rdpmc", [CLOCK_PERF] = "perf", [CLOCK_RATIO] = "ratio"};

const char *bench_outcome_name(enum bench_outcome outcome) {
    assert(outcome < BENCH_N_OUTCOMES);
    return outcome_names[outcome];
}

const char *bench_drop_name(enum bench_drop reason) {
    assert(reason < DROP_N_REASONS);
    return drop_names[reason];
}

const char *bench_verdict_name(enum bench_verdict verdict) {
    assert(verdict <= MEASURED_UNSTABLE);
    return verdict_names[verdict];
}

const char *bench_clock_name(enum bench_clock clock) {
    assert(clock <= CLOCK_RATIO);
    return clock_names[clock];
}

bool bench_clock_parse(const char *name, enum bench_clock *clock) {
    for (enum bench_clock c = CLOCK_AUTO; c <= CLOCK_RATIO; c++) {
        if (strcmp(name, clock_names[c]) == 0) {
            *clock = c;
            return true;
        }
    }
    return false;
}
