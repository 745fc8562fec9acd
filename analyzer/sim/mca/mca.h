// llvm-mca's two cores: out of order (entry, dispatch, execute, retire) and in order (entry, issue). Within a cycle,
// stages run back to front. Source of the behaviour: llvm/lib/MCA (HardwareUnits, Stages); where the machine's extras
// are zero the result is to equal llvm-mca's.
#ifndef ANALYZER_SIM_MCA_MCA_H
#define ANALYZER_SIM_MCA_MCA_H

#include "analyzer/sim/core.h"
#include "analyzer/sim/pipeline.h"

extern const struct core_ops mca_out_of_order, mca_in_order;

// The one that simulates a machine.
const struct core_ops *mca_core_of(const struct machine *machine);

// pipeline_open on that core.
struct pipeline *mca_core_open(const struct machine *machine, const struct pipeline_options *options);
// The same for one execution: opens, simulates and closes.
bool mca_core_run(const struct machine *machine, const struct execution *execution,
                  const struct pipeline_options *options, struct event_listener *const *listeners,
                  struct pipeline_result *result, struct fail *fail);

#endif
