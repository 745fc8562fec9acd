// A campaign: measuring in passes, into a folder. It takes the folder for this process. A pass opens the target, with a
// clock that is calibrated anew, asks its client what to measure next, and hands back the values. Everything that was
// measured is in the folder's measurement file at once, so a campaign that was interrupted or killed goes on where it
// ended.
//
//     client ─ what next? ─► pass ─ lab ─► measurement file
//            ◄─ here are values ─┘
//
// A survey, a corpus and a machine card are clients. Which passes there are, and in which order, is their part.
#ifndef LAB_CAMPAIGN_H
#define LAB_CAMPAIGN_H

#include "lab/collect.h"
#include "lab/run_plan.h"

#include <stdint.h>

// How much a pass may spend on values, above all on those that others disturb or that have no single value. What the
// options of a command ask for themselves goes before `precision`, `attempt_ms` and `processes`.
struct pass_effort {
    double precision;       // half-width of the interval to stop at, as a share of the value
    double least_precision; // likewise: no value is measured more precisely, whatever the options ask for
    double attempt_ms;      // computing time of a value, ms
    unsigned processes;     // least number; 0: bench/'s
    unsigned most_needed;   // as in struct bench_options
    unsigned n_stable;      // times that a value must have been stable; 0: as 1
    double retry_seconds;   // waiting for others to leave the core, s; in a hasty pass, only for a steady clock
    double steady_seconds;  // waiting for a steady clock, s; without one, only a first look measures. 0: no waiting
    bool is_first_look;     // as in struct bench_options
    bool is_hasty;          // likewise
};

// A pass while it runs.
struct campaign_pass {
    const struct pass_effort *effort;
    struct arena arena; // ends with the pass
    struct lab_options options;
    struct lab_listener listener;
    struct run_journal_request files; // path, is_resumed and n_stable are the campaign's part
    struct plan plan;
    struct lab lab;
    bool is_open;    // the lab is
    bool is_skipped; // there was no steady clock, so nothing was measured
    bool is_stopped; // it may have ended early
};

struct campaign_client {
    const char *work;  // names it in messages: "survey"
    const char *holds; // what its folder holds: "a survey"
    // What is next: adds to the pass's plan, and completes its `files`. An empty plan: nothing; no target is opened.
    bool (*next)(void *context, struct campaign_pass *pass, struct fail *fail);
    // Here are the values of the plan, as far as they were measured.
    void (*take)(void *context, struct campaign_pass *pass);
    // In place of both, for a client that keeps the measurement file and all values itself: measures with the pass's
    // lab, which is open and not started. Null: the other two.
    bool (*measure)(void *context, struct campaign_pass *pass, struct fail *fail);
    // As in struct lab_listener, called before that of the campaign's options. Null: not wanted.
    void (*measuring)(void *context, size_t number, size_t total);
};

// What the request of each client holds.
struct campaign_request {
    const char *folder;
    bool is_resumed;                   // go on in a folder that holds measurements
    bool is_strict;                    // a value that stays unstable is RUN_PLAN_UNSTABLE
    double budget_seconds;             // limit for measuring, or for measuring unstable values again, s
    void (*begins)(const char *where); // called once, before anything is measured: CPU and clock, one line; null: not
    const struct lab_options *lab;     // models are not predicted with
    struct collect *collects;          // gets the programs, in place of measuring them; null: they are measured
};

struct campaign {
    struct arena *arena;
    const struct campaign_request *request;
    const struct campaign_client *client;
    void *context;
    const char *path;           // of the measurement file
    struct lab_options options; // those of the request; a client may change them between passes
    int status;                 // as of run_plan; that of single values does not count
    struct campaign_again {
        double budget_seconds; // for all further passes together, s
        unsigned passes_left;  // a pass may take one part in so many of the time that is left
        uint64_t start_ns;
        size_t n_before; // values that were unstable before the last pass
        unsigned n;      // passes so far
    } again;
    bool has_begun; // the request's `begins` was called
    const struct lab *lab;
    const char **warnings; // reported so far: each comes again in each pass, and is worth reading once
    size_t n_warnings;
};

static inline const struct lab_listener *campaign_listener(const struct campaign *campaign) {
    return campaign->options.listener;
}

// Whether the user, or a budget of the whole command, ended it.
static inline bool campaign_is_stopped(const struct campaign *campaign) {
    return campaign->options.bench.is_stopped && campaign->options.bench.is_stopped();
}

// `context`: of the client. The request must live as long as the campaign. Does not touch the folder.
void campaign_start(struct campaign *campaign, struct arena *arena, const struct campaign_request *request,
                    const struct campaign_client *client, void *context);

// Makes the folder where it does not exist, and takes it until the program ends. Fails where another process has it,
// and where it holds measurements although nothing is resumed.
bool campaign_open_folder(struct campaign *campaign, struct fail *fail);

// Makes the folder for kernels of a family of ISAs, and returns its path: with it, `cyclops run --kernels
// FOLDER/kernels` repeats each experiment. Null and a failure where it cannot.
const char *campaign_make_kernel_folder(const struct campaign *campaign, const char *isa, struct fail *fail);

// Runs a pass. A target that is stopped while its clock is calibrated has measured nothing, which is no failure. False
// only where nothing can go on.
bool campaign_pass(struct campaign *campaign, const struct pass_effort *effort, struct fail *fail);

// Passes over the values that are still unstable, behind those that measure everything, until none is left or their
// budget is spent. Several short tries find a quiet moment sooner than a long one. Where they no longer help, values
// wait for others to leave the core.
//
// `budget_seconds`: for all of them, s. A pass may take one part in `passes_left` of what is left of it. `n_before`:
// values that were open before the last pass.
void campaign_start_again(struct campaign *campaign, double budget_seconds, unsigned passes_left, size_t n_before);
// Whether another pass is worth its while for the values that are unstable now; reports it. Sets the effort's
// `attempt_ms`, `retry_seconds` and `is_hasty`; all else is 0.
bool campaign_again(struct campaign *campaign, size_t n_unstable, struct pass_effort *effort);

// Sets the status at the end: RUN_PLAN_INTERRUPTED where the user ended it, else RUN_PLAN_UNSTABLE where values are
// unstable and is_strict.
void campaign_end(struct campaign *campaign, size_t n_unstable);

#endif
