// Measures the blocks of a corpus in bulk: each unrolled and looped, as `cyclops run --hex` runs a single one.
//
//     blocks ─ decode ─► programs ─ one trial run ─► measurements ─► the folder's measurement file
//
// All is in one folder. A run that was killed goes on where it ended.
//  - measurements.jsonl: a measurement file (bench/record/record.h), a record for each block and form. The record's
//    `kernel` is the block, in hexadecimal; its last record counts
//  - blocks.jsonl: the blocks, where they are from, and why some are not measured
//  - settings.json: what all blocks start with, and the CPU
#ifndef CORPUS_RUN_H
#define CORPUS_RUN_H

#include "corpus/blocks.h"
#include "lab/campaign.h"
#include "lab/experiment.h"

#include <stdbool.h>
#include <stddef.h>

// Instructions that a loop has at least: a shorter block is repeated in it.
enum { CORPUS_LOOP_INSTRUCTIONS = 5 };
// Pages that one pass through a block may touch.
enum { CORPUS_MOST_PAGES = 8 };

// A minute, or longer where there are many values: 40 ms for each.
enum { CORPUS_USUAL_BUDGET = -1 };

struct corpus_request {
    // is_strict: a malformed line ends the run, too. Its budget is for measuring unstable values again, or
    // CORPUS_USUAL_BUDGET.
    struct campaign_request campaign;
    const char *const *inputs;
    size_t n_inputs;
    unsigned shard, n_shards;     // this one of so many parts, from 1; n_shards 0: all
    size_t most;                  // blocks to read; 0: all
    struct block_options start;   // is_both false. most_pages: limit of a whole run
    struct object_range range;    // of objects
    const struct profile *counts; // of objects; null: no profile
};

// How many blocks ended how, of those in the folder.
struct corpus_tally {
    size_t n_blocks;
    size_t n_left_out;            // not run; see blocks.jsonl
    size_t n_both, n_both_stable; // blocks with a value in both forms
    struct corpus_form_tally {
        size_t n_values, n_stable;
        size_t by_outcome[BENCH_N_OUTCOMES]; // BENCH_OK: n_values
        size_t n_missing;                    // not measured yet
    } forms[2];                              // by enum program_form
    double median_ms;                        // time that a measured value of this run took, ms; 0: there is none
    const char *read;                        // what was read, one line
    const struct corpus_left_out *reasons;
    size_t n_reasons;
};

// Runs a corpus. `status` becomes RUN_PLAN_INTERRUPTED (lab/run_plan.h) where the user ended it, and FAIL_INPUT where
// one of several inputs could not be read; else it stays: trouble with a single block is its outcome. False only where
// nothing can go on.
bool corpus_run(struct arena *arena, const struct corpus_request *request, struct corpus_tally *tally, int *status,
                struct fail *fail);

#endif
