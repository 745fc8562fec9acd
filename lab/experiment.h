// One row of `cyclops run`: a program, its measurement, what the models predict for the same bytes, and the verdicts.
#ifndef LAB_EXPERIMENT_H
#define LAB_EXPERIMENT_H

#include "analyzer/compare/prediction.h"
#include "analyzer/compare/verdict.h"
#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"
#include "bench/record/record.h"
#include "gen/gen.h"
#include "lab/blocks.h"
#include "lab/branches.h"
#include "lab/listener.h"
#include "lab/replicate.h"

#include <stdbool.h>
#include <stddef.h>

enum { EXPERIMENT_MAX_MODELS = RECORD_MAX_PREDICTIONS };

// What another hardware thread runs beside an experiment, and what comes of it.
struct corun {
    struct experiment *other; // measured alone once for all
    bool is_done;
    struct bench_measurement together; // of the experiment, beside the other
    struct corun_predicted {
        bool is_known;
        double cycles[2]; // per iteration, of the experiment and of the other
    } predicted[EXPERIMENT_MAX_MODELS];
};

struct experiment {
    struct program program;
    size_t place;                 // in the plan, when that is run
    struct lab_block *block;      // that the program is of; null: a kernel's
    enum block_alias alias;       // of the block
    struct bench_foreign foreign; // what the block finds
    struct record_block seen;     // of the block
    unsigned kernel_instructions; // in one copy of the kernel's body; 0 in blocks
    unsigned second_instructions; // of a pair of kernels: in one copy of the second one's; else 0
    bool is_sweep;                // a row of a sweep's table, not of the summary
    const char *misuse;           // why the number is not of what it claims to be; null: no reason seen
    bool is_straight;             // decoded, and without branches inside
    bool is_done;                 // measured; false: could not run here, or the code crashed
    struct bench_measurement measurement;
    struct replicate_list replicates; // to measure as well
    struct followed followed;         // where there are branches inside; n = 0: none, or not recorded yet
    struct corun *corun;              // null: it runs alone
    unsigned n_predictions;
    struct prediction predictions[EXPERIMENT_MAX_MODELS];
    struct verdict verdicts[EXPERIMENT_MAX_MODELS];
};

// What to measure of each kernel and block.
struct plan_options {
    bool has_mode, has_form, is_both_forms;
    enum program_mode mode;
    enum program_form form;
    unsigned sweep_first, sweep_last; // 0: no sweep
    unsigned streams;                 // throughput mode; 0: as many as there are registers
    enum program_placement placement; // of kernels that access memory; PLACEMENT_NONE: each, one after the other
    const char *syntax;               // of blocks; null: the ISA's first
    struct block_options block;       // likewise
    bool is_replicated;               // each in other layouts, too
};

struct plan {
    struct experiment **experiments;
    size_t n_experiments;
    unsigned n_blocks;
    struct fail *refused; // what is wrong with parts of what was asked for; the rest is here
    size_t n_refused;
    struct experiment *corunner;         // that runs beside all of them; null: none
    const struct lab_listener *listener; // of who plans; null: nobody wants to hear
};

// Notes a mistake that costs a part of what was asked for.
void plan_refuse(struct arena *arena, struct plan *plan, const struct fail *why);
// The experiments that stand together with number `at`: all of the same block, or of kernels. The first, and the one
// behind the last.
struct plan_range {
    size_t first, end;
};
struct plan_range plan_around(const struct plan *plan, size_t at);
// Whether something is left; else the last of the mistakes is the failure.
bool plan_is_left(const struct plan *plan, struct fail *fail);

// Adds one experiment, all zero.
struct experiment *plan_add(struct arena *arena, struct plan *plan);

// Adds one experiment; null: the kernel cannot be expanded that way, and nothing is added.
struct experiment *plan_add_expansion(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                                      const struct gen_request *request, struct fail *fail);

// Adds the experiments of one kernel, or of one block, that `label` stands for in tables and records.
bool plan_add_kernel(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                     const struct plan_options *options, struct fail *fail);
bool plan_add_block(struct arena *arena, struct plan *plan, const struct block_source *source, const char *label,
                    const struct plan_options *options, struct fail *fail);

// An assembled program as bench/ wants it.
struct bench_code program_code(const struct program *program, bool is_simulated);

// What is run of it.
struct bench_code experiment_code(const struct experiment *experiment, bool is_simulated);

// The experiment's line in a measurement file.
void experiment_to_record(struct arena *arena, const struct experiment *experiment, struct record *record);

#endif
