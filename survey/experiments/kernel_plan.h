// Private to survey/.
// Which programs measure a kernel of a survey: mode, copies, streams, and places of its loads and stores.
#ifndef SURVEY_EXPERIMENTS_KERNEL_PLAN_H
#define SURVEY_EXPERIMENTS_KERNEL_PLAN_H

#include "base/arena.h"
#include "gen/kernel.h"
#include "lab/experiment.h"
#include "survey/experiments/experiment_key.h"

#include <stdbool.h>

// What a throughput is measured with besides unrolled code of as many streams as there are.
struct kernel_extras {
    bool has_loop; // also as a loop
    bool has_half; // also with half the streams
};

// Adds the programs of an experiment's kernel to a plan. One that cannot be expanded is refused.
void kernel_plan_add(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                     const struct experiment_key *key, struct kernel_extras extras);

#endif
