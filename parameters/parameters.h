// Finds the parameters of a CPU by experiments in time alone: widths, windows, latencies, idioms. All is in one folder:
//  - measurements.jsonl: a measurement file (bench/record/record.h), written as it is measured; a later run resumes it
//  - kernels/ISA/machine.yaml: the experiments as a kernel file (gen/kernel.h)
// report/machine.h writes the card.
#ifndef PARAMETERS_PARAMETERS_H
#define PARAMETERS_PARAMETERS_H

#include "lab/campaign.h"
#include "parameters/card.h"

struct parameters_request {
    struct campaign_request campaign;
    const char *const *experiments; // names
    size_t n_experiments;           // 0: all
    // Measure nothing: take what the folder holds, of whichever machine it is. What is missing then goes to the
    // campaign's `collects`, where there is one, for another machine to measure. Not for simulated CPUs.
    bool only_takes;
    // Receives the card after each round, with what is known so far. Null: nobody.
    bool (*write)(void *context, const struct card *card, struct fail *fail);
    void *context;
};

// Runs the experiments. `status` becomes RUN_PLAN_INTERRUPTED (lab/run_plan.h) where the user ended it. The card then
// holds what is known, and names what is missing, as it does where the budget ends. False only where nothing can go on.
bool parameters_run(struct arena *arena, const struct parameters_request *request, struct card *card, int *status,
                    struct fail *fail);

#endif
