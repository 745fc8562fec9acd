// Private to this folder.
// Which programs measure a kernel of a survey: mode, copies, streams, and places of its loads and stores.
#ifndef SURVEY_KERNEL_PLAN_H
#define SURVEY_KERNEL_PLAN_H

#include "base/arena.h"
#include "gen/kernel.h"
#include "lab/experiment.h"

#include <stdbool.h>

// Adds the experiments of a kernel to a plan. One that cannot be expanded is refused. `has_extras`: the throughput also
// as a loop, and with half the streams.
void kernel_plan_add(struct arena *arena, struct plan *plan, const struct kernel *kernel, bool has_extras);

#endif
