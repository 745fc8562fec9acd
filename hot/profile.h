// Where a program spends its time: samples by address, from a profiler's output or a run of our own.
// Knows no loop and no cycles.
#ifndef HOT_PROFILE_H
#define HOT_PROFILE_H

#include "base/arena.h"
#include "base/fail.h"
#include "hot/course.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hot_module_kind {
    HOT_FILE,   // an ELF file: the program, or a shared library
    HOT_JIT,    // code that the program made; a perf map may name it
    HOT_KERNEL, // the kernel, and its pages in a process (vdso)
};

struct hot_module {
    const char *path; // file; of the others the profiler's name, such as "[vdso]"
    enum hot_module_kind kind;
    const char *build_id; // as the profile has it, hexadecimal; null: unknown
};

// An instruction of a module. `address`: as `objdump -d` prints it, for any load address; of code without a file, the
// address in memory.
struct hot_place {
    unsigned module; // index
    uint64_t address;
};

struct hot_sample {
    struct hot_place place;
    double weight; // samples; of a profiler that counts, executed instructions
};

// When one sample was taken.
struct hot_timed {
    struct hot_place place;
    double seconds; // since the program's start, by the profile's clock
};

enum hot_clock {
    HOT_WALL_CLOCK,
    HOT_CPU_CLOCK, // what the program and its children have together of their CPUs
};

// A branch that was taken, from branch records (perf's brstack).
struct hot_way {
    struct hot_place from, to;
    double count;
    double cycles; // since the branch before, on average; NAN: not recorded
};

enum hot_unit {
    HOT_SAMPLES,      // of time, or of an event that goes with time
    HOT_INSTRUCTIONS, // each instruction's executions (callgrind): exact, but no time
};

struct hot_profile {
    const struct hot_module *modules;
    size_t n_modules;
    const struct hot_sample *samples; // of user code, in the order of their places, each place once
    size_t n_samples;
    // Single samples with their times; of a long profile, one of each so many. Empty where it has no times.
    const struct hot_timed *timed;
    size_t n_timed;
    enum hot_clock clock;       // of these
    struct course faults;       // of pages, that the program had, by the same clock; no points: not known
    const struct hot_way *ways; // in the order of from, then to; empty where there are no branch records
    size_t n_ways;
    enum hot_unit unit;
    double total;              // weight of all user samples, with those of no known place
    double seconds_per_sample; // HOT_SAMPLES of time; 0: unknown
    const char *source;        // for people: "perf record -e cpu-clock", "callgrind.out.7"
};

// Reads a profile: the text of `perf script` (with or without brstack), a perf.data file (by `perf script`),
// callgrind's output, or lines "ADDRESS COUNT" of the program itself. Fails with file and line. `program`: the
// executable; null: the module with most samples.
bool hot_profile_read(struct arena *arena, const char *path, const char *program, struct hot_profile *profile,
                      struct fail *fail);

// Ends of the interval that has the expected number of samples with 95 %, where `n` of `total` were drawn.
void hot_profile_interval(double n, double total, double *low, double *high);

// A run of a program that a profile was made of.
struct hot_run {
    int status;     // as waitpid gives it
    double seconds; // user time
    double cpu;     // all its CPU time, without what copies took of it; 0: its end was not seen
    double faults;  // of pages, without disk
    double pages;   // of memory that it had at once, at most
    double elapsed; // by the wall clock; 0: not known
    int key;        // signal of the keyboard that came meanwhile, for the program and for us; 0: none
};

// Runs the program with its own input and output, and samples it: by perf, else by a timer and ptrace. `hertz`: 0:
// 1000. Fails where it cannot be started (FAIL_INPUT) or sampled (FAIL_UNAVAILABLE).
bool hot_profile_record(struct arena *arena, char *const *argv, double hertz, struct hot_profile *profile,
                        struct hot_run *run, struct fail *fail);

// Samples a running process for so many seconds; it goes on afterwards.
bool hot_profile_attach(struct arena *arena, int pid, double seconds, struct hot_profile *profile, struct fail *fail);

#endif
