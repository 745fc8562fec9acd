// Pairs as a campaign: measures what port sets are inferred from (infer/ports.h). Of a survey's forms, one stands for
// each class of equal ones. In this order:
//  1. Sentinels, one for each set of ports that a form of one slot shows: candidates of 1/n cycles are measured beside
//     the sentinels of the same n. A pair that takes as long as one after the other shares its ports; what shares them
//     with none is a sentinel itself. Those without a load come first.
//  2. Each class beside each sentinel, in amounts that take about as long alone.
//  3. The same with twice as much of the sentinel, where they compete: the surplus over the sentinel.
//  4. What infers ports names what would decide most, and that is measured, a few rounds; and in other orders, what
//     takes longer than the ports have it.
// What is measured is a loop of 200 instructions or more of which none waits for another. It is short enough to run
// from where decoded instructions are kept, so lengths of instructions matter little.
//
// The folder:
//  - measurements.jsonl: as of every campaign; what is in it is not measured again
//  - kernels/ISA/pairs.yaml: the loops; `cyclops run --kernels FOLDER/kernels ID` repeats one
//  - experiments.csv: the evidence, with the classes alone and their slots, as the survey has them
//  - judged.csv: random multisets, which are no evidence
//  - sentinels.csv: the sentinels, and the pairs by which they were found; a run that goes on keeps them
//  - classes.csv: for each form, which one stands for it
#ifndef INFER_PAIR_CAMPAIGN_H
#define INFER_PAIR_CAMPAIGN_H

#include "lab/campaign.h"

struct pair_campaign_request {
    struct campaign_request campaign; // its budget: lab/budget.h
    const char *survey;               // its folder
    const char *llvm;                 // that lists the forms; null: the newest
    unsigned n_sentinels;             // at the most
    unsigned n_random;                // multisets to judge by, of each kind
    unsigned shard, n_shards;         // this one of so many parts, from 1; n_shards 0: all. Of classes beside
                                      // sentinels and of random multisets; each part finds the sentinels itself
};

struct pair_campaign_summary {
    size_t n_forms, n_classes, n_sentinels;
    size_t n_planned, n_values, n_unfit; // loops; those with a value; multisets that no loop can hold
    size_t n_random;                     // with a value
    size_t n_open;                       // forms that are not certain
    double seconds;
    bool is_spent; // the budget
};

// `status` as in survey_run. False only where nothing can go on.
bool pair_campaign_run(struct arena *arena, const struct pair_campaign_request *request,
                       struct pair_campaign_summary *summary, int *status, struct fail *fail);

// Reads the evidence of a folder, or of the parts of one campaign. Fails where they are of different surveys.
struct evidence;
bool pair_campaign_read(struct evidence *evidence, const char *const *folders, size_t n, struct fail *fail);

// Names of the folder's files. Live in `arena`.
const char *pair_campaign_experiments(struct arena *arena, const char *folder);
const char *pair_campaign_judged(struct arena *arena, const char *folder);
const char *pair_campaign_classes(struct arena *arena, const char *folder);
// Sets `machine` to what the folder was measured on, for people; null: it does not say that.
bool pair_campaign_machine(struct arena *arena, const char *folder, const char **machine, struct fail *fail);

#endif
