#include "analyzer/sim/mca/mca.h"

#include <assert.h>

const struct core_ops *mca_core_of(const struct machine *machine) {
    return machine->in_order ? &mca_in_order : &mca_out_of_order;
}

struct pipeline *mca_core_open(const struct machine *machine, const struct pipeline_options *options) {
    assert(machine->dispatch_width != 0 && machine->n_register_files != 0);
    return pipeline_open(mca_core_of(machine), machine, options);
}

bool mca_core_run(const struct machine *machine, const struct execution *execution,
                  const struct pipeline_options *options, struct event_listener *const *listeners,
                  struct pipeline_result *result, struct fail *fail) {
    struct pipeline *pipeline = mca_core_open(machine, options);
    bool done = pipeline_simulate(pipeline, execution, listeners, result, fail);
    pipeline_close(pipeline);
    return done;
}
