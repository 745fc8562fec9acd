// Private to this folder.
// A run of a program, and the loops in it that wait for their copies: each is copied at the next hit of its head behind
// each of its moments, in whichever process of the run that comes first. x86-64 only.
#ifndef HOT_WATCH_H
#define HOT_WATCH_H

#include "hot/cpu_time.h"
#include "hot/key_witness.h"
#include "hot/state.h"
#include "hot/tracer.h"

struct watch {
    struct arena *arena;
    const struct decoder *decoder;
    const struct hot_capture *captures;
    size_t n, n_left;
    struct watched {
        bool is_done, was_known; // was_known: a process has its code
        uint64_t hits;
        size_t n_over; // moments that are over
        struct watched_copy {
            bool has_copy;
            struct tracer copy; // of the process, when it was at the head
            struct hot_state *state;
        } copies[HOT_MOST_MOMENTS];
        size_t n_copies;
        const char *why; // no copy could be made, or recorded
    } * loops;
    struct watched_process {
        struct tracer tracer;
        struct watched_place {
            bool is_known, is_armed; // is_armed: its breakpoint is wanted
            uint64_t head, load_address;
        } * places;     // of each loop
        uint64_t entry; // the program's first instruction, while a breakpoint is there; 0: none is
    } * *processes;     // the first one is the program
    size_t n_processes, n_followed;
    double start; // of the program, by timer_seconds
    struct cpu_time cpu_time;
    struct key_witness witness; // of a program of ours
    // The program's time, by the clock of the requests, when it was last read, and the time of that by timer_seconds.
    double seen, seen_at;
    bool is_at_rest;         // it had not gone on since the time before
    double step_seconds;     // left, of stepping through the program itself
    double skipping_seconds; // that it may have been held up by hits that were skipped
    double copying_seconds;  // that it was held up by copies
    size_t n_copied;
    double faults_ahead;     // of those of the profiled run, before the first copy
    double fault_seconds;    // that those since then took
    double held_seconds;     // by both, by the clock of the requests
    double look_for_modules; // time of the next look
};

// Starts the program of the captures, or attaches to their process.
bool watch_begin(struct watch *watch, struct fail *fail);
// Waits until all loops have their copies, or the program ends. Leaves the program running without us.
void watch_wait(struct watch *watch);
// Steps through the copies, and waits for the program's end.
void watch_end(struct watch *watch, struct hot_copies *copies, struct hot_run *run);

#endif
