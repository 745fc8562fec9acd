// The matrix of `cyclops pairs`: the experiments of each cell, and its result.
//  - Each kernel is measured alone, in as many streams as there are registers.
//  - Each pair is measured mixed, in as many streams as fit.
//  - Each kernel is measured alone in that many streams too. That shows where the mix had too few.
#ifndef STUDY_PAIRS_H
#define STUDY_PAIRS_H

#include "analyzer/predict/pairing.h"
#include "base/table.h"
#include "lab/experiment.h"
#include "lab/lab.h"

enum { PAIRS_MAX_KERNELS = TABLE_MAX_COLUMNS - 1 };

struct pair_cell {
    const struct experiment *mix;    // null: not needed (the diagonal, the other order), or not possible
    const struct experiment *few[2]; // each kernel alone, in as many streams as the mix has of it
    const char *why_not;             // reason why a mix is not possible; null: it is, or is not needed
};

struct pairs {
    const struct kernel *const *kernels;
    unsigned n_kernels;
    bool has_both_orders;
    const struct experiment **alone; // each kernel alone
    struct pair_cell *cells;         // [first * n_kernels + second]
};

struct pairs_options {
    enum program_form form;
    unsigned streams;                 // streams of each kernel in a mix; 0: as many as there are registers
    enum program_placement placement; // placement of kernels that access memory; PLACEMENT_NONE: own lines
    bool wants_both_orders;
};

// Adds the experiments to `plan`. Pairs that do not fit in the registers are noted in their cell.
bool pairs_plan(struct arena *arena, const struct kernel *const *kernels, unsigned n_kernels,
                const struct pairs_options *options, struct plan *plan, struct pairs *pairs, struct fail *fail);

// The result of a cell: measured (`model` is PAIRS_MEASURED), or by a model.
enum { PAIRS_MEASURED = -1 };
struct pair_result {
    bool is_known;           // false: something was not measured, or is not modelled
    bool is_unstable;        // one of the measurements is not to be trusted
    const char *doubt;       // reason why the cell has no result, or not one to be trusted; null: it has
    struct pairing_time mix; // cycles of a pair of copies
    struct pairing pairing;
};
struct pair_result pairs_result(struct arena *arena, const struct pairs *pairs, unsigned first, unsigned second,
                                int model);

// Cycles of one copy of a kernel alone; false: not known.
bool pairs_alone(const struct pairs *pairs, unsigned kernel, int model, struct pairing_time *time);

// Whether the model disagrees with the measurement of the pair, where both have a result.
bool pairs_disagree(const struct pair_result *measured, const struct pair_result *predicted);

#endif
