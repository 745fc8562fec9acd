// Simulates an execution on a machine, cycle by cycle: a core (core.h) moves the instructions on, events report what
// happened, and time that repeats is left out. Knows no core.
#ifndef ANALYZER_SIM_PIPELINE_H
#define ANALYZER_SIM_PIPELINE_H

#include "analyzer/code/execution.h"
#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "analyzer/sim/event.h"
#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stdint.h>

struct pipeline_options {
    uint64_t iterations;              // of the execution; 0 = 100
    unsigned dispatch_width;          // uops a cycle; 0 = the machine's; in-order machines keep theirs, as in llvm-mca
    unsigned register_file_size;      // physical registers of the default file; 0 = unlimited
    unsigned load_queue, store_queue; // entries; 0 = the machine's
    bool assume_alias;                // loads wait for older stores (llvm-mca's -noalias=false)
    // Repeat what llvm-mca 19 to 22 gets wrong in its reports, so that these can be compared. Never changes the
    // number of cycles. In-order machines, while the uops of an instruction are issued over several cycles, do not
    // report that others are executed and retired.
    bool mistakes_of_llvm_mca;
    uint64_t max_cycles; // give up after; 0 = never: a guard against a machine that makes no progress
    // Time that repeats is not walked (event.h: marked, repeated). Totals are the same either way.
    bool walk_all;            // never skip
    uint64_t walk_iterations; // skip only what comes after these have retired: for listeners that show each event
    // Out-of-order machines: instructions are decoded into a queue of this many uops before dispatch; 0 = no queue.
    // `decoder_throughput`: instructions put into it a cycle; 0 = unlimited.
    unsigned micro_op_queue, decoder_throughput;
    unsigned retire_width; // instructions retired a cycle, at most; 0 = the machine's
    // Cycles from the execution of a branch that is predicted wrongly (execution.h) until the instruction behind it is
    // dispatched, at least; 0: as after any other.
    unsigned branch_penalty;
    // Where LLVM's model states more than llvm-mca simulates, do as llvm-mca does. It holds resources from issue on;
    // the model states the cycle after issue from which they are held.
    bool as_llvm_mca;
    // What shall not limit the execution: bits of the core's knobs (core.h), by index.
    unsigned relaxed;
    // Iterations whose mean is asked for; 0: of none. The run ends when none of these is in flight any more, and
    // says when that was so of half of them: those behind them keep the core as busy as before.
    uint64_t counted_iterations;
    // Cycles per iteration that none can do without; 0: not known. As soon as it is sure how many the run takes for
    // ever, it ends, and says so. Cores that cannot tell do not look at it.
    double least_cycles;
    // Beside these: a run is also settled, at least_cycles, where the second half of so many iterations takes at most a
    // cycle more than that. 0: not looked for.
    uint64_t first_iterations;
    bool until_repeated;          // end the run as soon as `repeated` is reported: nobody asks for what comes behind it
    const struct core_plan *plan; // what the core of a CPU file simulates (core/plan.h); others do not look at it
};

struct pipeline_result {
    uint64_t cycles;       // total
    uint64_t instructions; // simulated, all iterations
    uint64_t uops;
    double settled_cycles;  // see least_cycles; 0: not found. Else none of the above is the whole run's
    uint64_t half_cycles;   // until half of those counted, rounded down, have left; 0: not found
    uint64_t walked_cycles; // of `cycles`: the rest was not walked through, as it repeats
};

// A core (core.h) with a machine and options, ready to run executions: what one run allocates serves the next. Not
// shared between threads. The machine must live as long; the options are copied. mca_core_open (sim/mca/mca.h) opens
// the one that LLVM's models are for.
struct pipeline;
struct core_ops;
struct pipeline *pipeline_open(const struct core_ops *ops, const struct machine *machine,
                               const struct pipeline_options *options);
void pipeline_close(struct pipeline *pipeline);

// Runs an execution. Fails with FAIL_INPUT where it is empty, with FAIL_WORK when an instruction can never get on,
// naming it, and after max_cycles. `listeners`: null-terminated; null for none. `result` is set also where the run
// failed: how far it came.
bool pipeline_simulate(struct pipeline *pipeline, const struct execution *execution,
                       struct event_listener *const *listeners, struct pipeline_result *result, struct fail *fail);

#endif
