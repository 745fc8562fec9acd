// A survey: the instruction table of a CPU, form by form, without knowing the CPU. It lists LLVM's forms, runs each
// once (probe.h), makes experiments of those that run, and measures them until they are stable or the budget is spent.
//
//     forms ─ probe ─► shapes ─► kernels ─ lab ─► measurements ─► table (survey/table/table.h)
//
// All is in one folder. A survey that was killed goes on where it ended.
//  - measurements.jsonl: a measurement file (bench/record/record.h)
//  - kernels/ISA/survey.yaml: the experiments as a kernel file (gen/kernel.h); written anew by each run. slots.yaml
//    beside it: those that follow from the others' values (survey/followups.h); mixtures.yaml: loops of several forms
//    (survey/mixtures.h)
//  - forms.jsonl: LLVM's forms, and why some were not measured; likewise
//  - commands.txt: what was requested (survey/commands.h)
#ifndef SURVEY_SURVEY_H
#define SURVEY_SURVEY_H

#include "analyzer/code/vector_config.h"
#include "lab/campaign.h"

#include <stdbool.h>
#include <stddef.h>

enum { SURVEY_MOST_MIXTURES = 1000 };

struct survey_request {
    struct campaign_request campaign; // its budget is for measuring unstable values again. Of all: lab/budget.h
    const char *const *patterns;      // regular expressions of opcodes
    size_t n_patterns;                // 0: all forms
    // RISC-V: configurations of all vector forms (analyzer/code/vector_config.h). None: without patterns, all pairs of
    // element and group for one form of each scheduling class, and one configuration for the others.
    const struct vector_config *vectors;
    size_t n_vectors;
    unsigned shard, n_shards; // this one of so many parts, from 1; n_shards 0: all
    // Random mixtures of forms to measure, from number 0, with probes (survey/mixtures.h); 0: none. Below 0:
    // MIXTURES_USUAL of a whole survey, none of a part.
    int n_mixtures;
    bool counts_uops;    // count them, in all and by pipe, where this CPU can
    const char *command; // as in survey/commands.h; null: it is not kept
};

// Adds the experiments of the form that `name` begins with, such as "VADDPSYrr.chain", to the set. Adds nothing where
// there is no such form. Fails where it cannot be measured, or has no experiment of this name, and where it is no file
// and another form's name is near.
bool survey_form_kernels(struct arena *arena, const struct isa *isa, const char *name, struct kernel_set *set,
                         struct fail *fail);

// Returns which commands take a mnemonic, "addq", a clause; null: no form has such a one.
const char *survey_advice_on_mnemonic(struct arena *arena, const struct isa *isa, const char *name);

// What a survey's folder holds when it ends.
struct survey_summary {
    size_t n_forms, n_measured;              // of the folder; of these, those with a value
    size_t n_values, n_lost;                 // as in struct survey_table
    size_t n_unstable, n_waiting, n_at_most; // likewise
    size_t n_open;                           // forms without a value that may get one
    size_t n_slots_missing;                  // as in struct survey_table
    const char *no_filler;                   // likewise
    double seconds;                          // that this run took
    bool is_interrupted;                     // by the user
    bool is_spent;                           // the budget of the whole run
};

// Runs a survey. `status` becomes RUN_PLAN_INTERRUPTED (lab/run_plan.h) where the user ended it, and
// FAIL_UNAVAILABLE where the folder has no value yet. Else it stays: trouble with a single form is in the table. False
// only where nothing can go on.
bool survey_run(struct arena *arena, const struct survey_request *request, struct survey_summary *summary, int *status,
                struct fail *fail);

#endif
