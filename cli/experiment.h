// One row of `cyclops run`: a program, its measurement, what the models predict for the same bytes, and the verdicts.
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include "analyzer/compare/prediction.h"
#include "analyzer/compare/verdict.h"
#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"
#include "bench/record.h"
#include "cli/follow.h"
#include "cli/replicate.h"
#include "gen/gen.h"

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
    unsigned kernel_instructions; // in one copy of the kernel's body; 0 in blocks
    unsigned second_instructions; // of a pair of kernels: in one copy of the second one's; else 0
    bool is_sweep;                // a row of a sweep's table, not of the summary
    const char *misuse;           // why the number is not of what it claims to be; null: no reason seen
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
    enum program_placement
        placement;      // of kernels that access memory; PLACEMENT_NONE: all there are, one after the other
    const char *syntax; // of blocks; null: the ISA's first
    bool is_replicated; // each in other layouts, too
};

struct plan {
    struct experiment **experiments;
    size_t n_experiments;
    struct experiment *corunner; // that runs beside all of them; null: none
};

// A block of assembly text.
struct plan_block {
    const struct isa *isa;
    const char *name; // for tables and records
    const char *file; // for messages
    const char *text;
};

// Adds one experiment, all zero.
struct experiment *plan_add(struct arena *arena, struct plan *plan);

// Adds one experiment; null: the kernel cannot be expanded that way, and nothing is added.
struct experiment *plan_add_expansion(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                                      const struct gen_request *request, struct fail *fail);

// Adds the experiments of one kernel, or of one block of assembly text.
bool plan_add_kernel(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                     const struct plan_options *options, struct fail *fail);
bool plan_add_block(struct arena *arena, struct plan *plan, const struct plan_block *block,
                    const struct plan_options *options, struct fail *fail);

// The experiment's line in a measurement file.
void experiment_to_record(struct arena *arena, const struct experiment *experiment, struct record *record);

#endif
