// Simulates two hardware threads of one core (SMT), an execution each, cycle by cycle. No model of LLVM's says what
// threads share, so it is the same on every machine:
//   shared       pipes and their buffers; the width: in order, the thread that goes first leaves the other what it does
//                not use; out of order, one thread dispatches in a cycle, that with fewer instructions in flight, and
//                the other only where that one cannot
//   in halves    reorder buffer, load and store queue, physical registers (as Intel's processors do with the first
//                three: Optimization Reference Manual, "Hyper-Threading Technology", partitioned resources)
//   each its own registers, program order, order of memory operations, retire width
// Which thread goes first alternates from cycle to cycle. Caches and front end are left out, as with one thread. An
// overlay can say that threads take turns (struct machine).
#ifndef ANALYZER_SIM_MCA_CORUN_H
#define ANALYZER_SIM_MCA_CORUN_H

#include "analyzer/sim/pipeline.h"

enum { CORUN_THREADS = 2 };

struct corun_result {
    uint64_t cycles;                      // until the first thread is done
    uint64_t instructions[CORUN_THREADS]; // that each thread issued (in order) or dispatched in that time
};

// The first thread runs options->iterations of its execution, the second runs its own all that time. All cycles are
// walked. `listeners` get the events of the first thread only. Fails as pipeline_simulate does; give it max_cycles
// where one thread could keep the other out.
bool corun_run(const struct machine *machine, const struct execution *const executions[CORUN_THREADS],
               const struct pipeline_options *options, struct event_listener *const *listeners,
               struct corun_result *result, struct fail *fail);

#endif
