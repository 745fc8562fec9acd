// Simulates a block on a machine, cycle by cycle, as llvm-mca does: units hold state, stages move time, events tell
// what happened. Out-of-order machines: entry, dispatch, execute (issue, write-back), retire; within a cycle, stages
// run back to front. Source of the behaviour: llvm/lib/MCA (HardwareUnits, Stages); where the machine's extras are zero
// the result is to equal llvm-mca's.
#ifndef ANALYZER_PIPELINE_PIPELINE_H
#define ANALYZER_PIPELINE_PIPELINE_H

#include "analyzer/model/insn.h"
#include "analyzer/model/machine.h"
#include "analyzer/pipeline/event.h"
#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stdint.h>

struct pipeline_options {
    uint64_t iterations;              // of the block; 0 = 100
    unsigned dispatch_width;          // uops a cycle; 0 = the machine's
    unsigned register_file_size;      // physical registers of the default file; 0 = unlimited
    unsigned load_queue, store_queue; // entries; 0 = the machine's
    bool assume_alias;                // loads wait for older stores (llvm-mca's -noalias=false)
    uint64_t max_cycles;              // give up after; 0 = never: a guard against a machine that makes no progress
};

struct pipeline_result {
    uint64_t cycles;       // total
    uint64_t instructions; // simulated, all iterations
    uint64_t uops;
};

// Runs a block. Fails (FAIL_WORK) when no instruction can make progress, naming the first that is stuck, and
// (FAIL_UNAVAILABLE) for what is not simulated. Null-terminated list of listeners.
bool pipeline_run(const struct machine *machine, const struct block *block, const struct pipeline_options *options,
                  struct event_listener *const *listeners, struct pipeline_result *result, struct fail *fail);

#endif
