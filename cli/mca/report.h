// Private to this folder.
// The reports of `cyclops mca` on the blocks of one input.
#ifndef CLI_MCA_REPORT_H
#define CLI_MCA_REPORT_H

#include "analyzer/code/execution.h"
#include "analyzer/model/backend.h"
#include "analyzer/model/model.h"
#include "analyzer/sim/pipeline.h"
#include "analyzer/views/trace.h"
#include "base/arena.h"
#include "base/fail.h"
#include "cli/mca/options.h"

#include <stdbool.h>
#include <stdio.h>

// An open CPU, and what its reports need.
struct mca_session {
    const struct mca_args *args;
    const struct model *model;
    const struct machine *machine; // of a CPU file: its pipes (cpu_pipe_machine)
    const struct mca_rules *rules; // rules of the llvm-mca that the reports equal
    struct arena *arena;
    FILE *out;
    struct fail *fail;
    struct trace_view *trace;  // null: no trace
    struct pipeline *pipeline; // opened with mca_pipeline_options; null: of a CPU file
    // Of the one block that a branch trace goes through: the source's block is its instructions laid out. Null: no
    // trace, and blocks run straight.
    const struct execution *execution;
};

// Opens the CPU that the arguments ask for. Each thread opens its own.
bool mca_open_model(const struct mca_args *args, struct arena *arena, struct model *model, struct fail *fail);

// Returns the pipeline's options by the session's arguments.
struct pipeline_options mca_pipeline_options(const struct mca_session *session);

// Simulates a block, and nobody listens: by the pipeline, or on the core of the model's CPU file. `thousandths`: of a
// cycle, of an iteration; on the core, in the steady state.
bool mca_simulate(const struct model *model, struct pipeline *pipeline, uint64_t iterations, const struct block *block,
                  struct pipeline_result *result, uint64_t *thousandths, struct fail *fail);

// Simulates every block and prints its report. LLVM's notes go to stderr, each before its report.
bool mca_report(const struct mca_session *session, const struct backend_source *source);

#endif
