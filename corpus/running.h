// Private to this folder.
// A corpus while it runs: its blocks, and what is known of the value of each in both forms.
//
//     run.c ─ passes ─► batch.c ─ experiments, records ─► values.c ─ states ─► tally.c
#ifndef CORPUS_RUNNING_H
#define CORPUS_RUNNING_H

#include "blocks/decoder.h"
#include "corpus/run.h"
#include "lab/campaign.h"

#include <stdio.h>

enum { N_FORMS = 2 };

// State of one block in one form.
enum state { STATE_OPEN, STATE_UNSTABLE, STATE_DONE };
struct form_state {
    enum state state;
    bool is_seen_once; // unstable only because it was seen at one time
    enum bench_outcome outcome;
    const struct bench_measurement *look;    // fastest of its looks (enum bench_look); null: none
    const struct bench_measurement **uneven; // its looks at two modes, or at another value in each process
    size_t n_uneven;
};

// A corpus while it runs.
struct corpus_run {
    struct arena *arena;
    const struct corpus_request *request;
    struct decoder decoder;
    struct corpus_blocks blocks;
    struct form_state (*states)[N_FORMS]; // by block and enum program_form
    struct campaign campaign;
    FILE *file;                  // the measurement file
    bool is_second_time;         // this pass measures only what was seen once
    size_t n_wanted, n_finished; // values of this pass
    float *times;                // time of each value, ms
    size_t n_times;
};

// ---- values.c: what is known of values

void run_take_value(struct corpus_run *run, struct form_state *state, const struct bench_measurement *m);
// Lets a value that walks over pages be stable only where it comes again at another time.
void run_confirm_walking(struct arena *arena, const struct form_state *state, struct experiment *experiment);
// Takes the values that the folder holds already.
bool run_read_before(struct corpus_run *run, struct fail *fail);
bool run_wants(const struct corpus_run *run, const struct form_state *state); // whether this pass measures the value
size_t run_count(const struct corpus_run *run, enum state state); // values in that state, of blocks not left out
size_t run_count_seen_once(const struct corpus_run *run);         // likewise

// ---- batch.c

// Measures all values that this pass wants. `options`: of the open lab. Without a lab, hands on their programs, for
// another machine: none is tried here.
bool run_measure_batches(struct corpus_run *run, struct lab *lab, const struct lab_options *options, struct fail *fail);

// ---- tally.c

void run_tally(struct corpus_run *run, struct corpus_tally *tally);

static inline const struct lab_listener *run_listener(const struct corpus_run *run) {
    return run->request->campaign.lab->listener;
}

static inline bool run_is_stopped(const struct corpus_run *run) {
    return campaign_is_stopped(&run->campaign);
}

#endif
