// The programs that a campaign would measure, for another machine to measure them. Each comes once, and those with a
// value in the campaign's folder do not come at all.
#ifndef LAB_COLLECT_H
#define LAB_COLLECT_H

#include "base/index.h"
#include "bench/condition.h"
#include "bench/record/record.h"
#include "lab/experiment.h"

struct collect {
    struct arena *arena; // of what lives as long as this
    void *context;
    // Takes a program, assembled, with the cases in which it is measured; none: always. The experiment ends with the
    // pass. Terms name programs by the order in which they were taken.
    bool (*take)(void *context, const struct experiment *experiment, const struct bench_case *cases, size_t n,
                 struct fail *fail);
    // Returns how many cases of an experiment there are, and sets them; they last until the next call. Null: none.
    size_t (*cases_of)(void *client, const struct experiment *experiment, const struct bench_case **cases);
    void *client;                   // for cases_of
    const struct bench_rule *rules; // of all cases
    size_t n_rules;
    size_t n_taken, n_measured, n_refused; // programs: taken, with a value, not to be made
    size_t n_in_cases;                     // of those taken: with cases
    struct collected {                     // what was taken, in order
        const char *kernel;
        enum program_mode mode;
        enum program_form form;
        enum program_placement placement;
        unsigned streams;
    } * taken;
    struct index kernels; // of these, by their kernels
    struct index places;  // of the keys
    const char **keys;    // of the programs that came
    size_t n_keys;
};

// Hands on the plan's programs. `known`: what was measured. `n_stable`: as in struct pass_effort.
bool collect_plan(struct collect *collect, struct arena *arena, struct plan *plan, const struct record_file *known,
                  unsigned n_stable, struct fail *fail);

// Returns the number of the next program of a kernel that was taken. `place`: 0 at first. INDEX_END: there are no more.
size_t collect_next(const struct collect *collect, const char *kernel, size_t *place);

#endif
