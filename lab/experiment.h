// One row of `cyclops run`: a program, its measurement, what the models predict for the same bytes, and the verdicts.
#ifndef LAB_EXPERIMENT_H
#define LAB_EXPERIMENT_H

#include "analyzer/model/model_set.h"
#include "analyzer/predict/prediction.h"
#include "analyzer/predict/verdict.h"
#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"
#include "bench/record/record.h"
#include "blocks/path.h"
#include "gen/gen.h"
#include "lab/branches.h"
#include "lab/listener.h"
#include "lab/plan_blocks.h"
#include "lab/recorded.h"
#include "lab/replicate.h"

#include <stdbool.h>
#include <stddef.h>

// An experiment with its co-runner.
struct corun {
    struct experiment *other; // the co-runner; measured alone only once
    bool is_done;
    struct bench_measurement together; // measurement of the experiment with its co-runner
    struct corun_predicted {
        bool is_known;
        double cycles[2]; // cycles per iteration, of the experiment and of the co-runner
    } predicted[MODEL_SET_MOST];
};

struct experiment {
    struct program program;
    size_t place;                 // index in the plan, set when the plan is run
    struct lab_block *block;      // block of the program; null: a kernel's program
    enum block_alias alias;       // addresses of the block
    struct bench_foreign foreign; // memory and exit of the block
    struct record_block seen;     // observations of the block
    unsigned kernel_instructions; // instructions in one copy of the kernel's body; 0: a block
    unsigned second_instructions; // instructions in one copy of a pair's second kernel; 0: not a pair
    bool is_sweep;                // a row of a sweep's table, not of the summary
    const char *misuse;           // reason why the number is not what its row states; null: none seen
    bool is_straight;             // decoded, and without branches inside
    bool is_done;                 // measured; false: could not run here, or the code crashed
    struct bench_looks looks;     // earlier measurements of it, at other times
    struct bench_measurement measurement;
    struct replicate_list replicates; // other layouts to measure as well
    struct followed followed;         // run of code with branches inside; n = 0: no branches, or not recorded yet
    struct recorded_turns turns;      // its addresses; null, no refusal: all could be followed, or nobody asked
    struct path path;                 // which part of the block ran; empty: no branches inside, or not recorded
    struct corun *corun;              // null: it runs alone
    unsigned n_predictions;
    struct prediction predictions[MODEL_SET_MOST];
    struct verdict verdicts[MODEL_SET_MOST];
};

// What to measure of each kernel and block.
struct plan_options {
    bool has_mode, has_form, is_both_forms;
    enum program_mode mode;
    enum program_form form;
    unsigned sweep_first, sweep_last; // 0: no sweep
    unsigned streams;                 // throughput mode; 0: as many as there are registers
    enum program_placement placement; // of kernels that access memory; PLACEMENT_NONE: each, one after the other
    const char *syntax;               // syntax of blocks; null: the ISA's first
    struct block_options block;       // options of blocks
    bool is_replicated;               // other layouts are measured, too
};

struct plan {
    struct experiment **experiments;
    size_t n_experiments;
    unsigned n_blocks;
    struct fail *refused; // mistakes in parts of the request, which are left out
    size_t n_refused;
    struct experiment *corunner;         // co-runner of all experiments; null: none
    const struct lab_listener *listener; // receives messages while planning; null: none
    struct assembled *assembled;         // programs that earlier plans have assembled; null: not kept
};

// Notes a mistake, for which a part of the request is left out.
void plan_refuse(struct arena *arena, struct plan *plan, const struct fail *why);
// The experiments around number `at` that belong together: all of the same block, or all of kernels. The first, and one
// past the last.
struct plan_range {
    size_t first, end;
};
struct plan_range plan_around(const struct plan *plan, size_t at);
// Whether an experiment is left; else the last mistake is the failure.
bool plan_is_left(const struct plan *plan, struct fail *fail);

// Adds one experiment, all zero.
struct experiment *plan_add(struct arena *arena, struct plan *plan);

// Adds one experiment; null: the kernel cannot be expanded that way, and nothing is added.
struct experiment *plan_add_expansion(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                                      const struct gen_request *request, struct fail *fail);

// Adds the experiments of one kernel, or of one block. `label`: the block's name in tables and records.
bool plan_add_kernel(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                     const struct plan_options *options, struct fail *fail);
bool plan_add_block(struct arena *arena, struct plan *plan, const struct block_source *source, const char *label,
                    const struct plan_options *options, struct fail *fail);

// An assembled program as bench/ takes it.
struct bench_code program_code(const struct program *program, bool is_simulated);

// The code that an experiment runs.
struct bench_code experiment_code(const struct experiment *experiment, bool is_simulated);

// Doubts the value of limited runs: the cost of their start and end is within the timed part, and does not cancel to
// the last cycle (8 were seen). The interval gets so much wider, with a warning where it is more than 0.8 %; more than
// 3 %: unstable.
void experiment_doubt_short_run(struct arena *arena, struct experiment *experiment);

// The experiment's line in a measurement file.
void experiment_to_record(struct arena *arena, const struct experiment *experiment, struct record *record);

#endif
