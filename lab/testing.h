// What the tests of lab/ share: plans of installed x86-64 kernels, run on a simulated CPU, and what their listener
// receives. Nothing of it depends on the machine or on the time.
#ifndef LAB_TESTING_H
#define LAB_TESTING_H

#include "lab/run_plan.h"

enum { TESTING_MOST_TEXTS = 32 };

// Texts that were received, in their order.
struct testing_texts {
    const char *items[TESTING_MOST_TEXTS];
    size_t n;
};
bool testing_has(const struct testing_texts *texts, const char *part);

struct testing_heard {
    struct arena arena;
    struct testing_texts notes, failures;
    unsigned n_started;
    size_t n_measuring, number, total; // of calls of `measuring`; the last that named an experiment
    bool stops_at_start;               // from `started` on, testing_is_stopped returns true
    size_t stops_at;                   // likewise from experiment number `stops_at` on; 0: never
};

// One run: a lab of its own.
struct testing_run {
    struct arena arena;
    struct lab_options options;
    struct lab_listener listener;
    struct testing_heard heard;
    struct run_journal_request files;
    struct plan plan;
    struct lab lab;
    struct fail fail;
    int status;
    bool is_done; // result of run_plan
};

// On that target, such as "sim:skylake,noise=none".
void testing_run_start(struct testing_run *run, const char *target);
// Of the installed kernel of that name.
void testing_run_add(struct testing_run *run, const char *kernel, const struct plan_options *options);
// Opens the lab and runs the plan. Skips the test where there is no assembler, or no LLVM.
void testing_run_go(struct testing_run *run);
void testing_run_end(struct testing_run *run);

// Of the last run that was started: struct bench_options.
bool testing_is_stopped(void);

#endif
