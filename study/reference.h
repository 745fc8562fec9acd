// Reads the files of results/published: published results with their experiments, for `cyclops reproduce`.
// results/README.md explains the keys.
#ifndef STUDY_REFERENCE_H
#define STUDY_REFERENCE_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

enum reference_kind {
    REFERENCE_SWEEP,       // a kernel with n = first, first + 1, … streams: cycles of one iteration of each
    REFERENCE_BLOCK,       // assembly text, over and over: cycles of one iteration
    REFERENCE_CORUN,       // a block, on both hardware threads of a core: cycles of one iteration of each
    REFERENCE_REPORT,      // the same for a number of iterations, as llvm-mca reports it
    REFERENCE_INSTRUCTION, // one instruction, as `cyclops explain` explains it
};

// What is published of an experiment.
enum reference_quantity {
    QUANTITY_CYCLES,       // of one iteration; of an instruction: of `copies`, from the first issue to the last result
    QUANTITY_LATENCY,      // cycles
    QUANTITY_RTHROUGHPUT,  // cycles
    QUANTITY_SECOND,       // cycles between the issues of an instruction and its first copy
    QUANTITY_TOTAL_CYCLES, // of all iterations
    QUANTITY_IPC,          // instructions a cycle
    QUANTITY_UOPS_PER_CYCLE,    //
    QUANTITY_BLOCK_RTHROUGHPUT, // cycles
    N_QUANTITIES,
};
const char *reference_quantity_name(enum reference_quantity quantity); // as in the files

struct reference_value {
    enum reference_quantity quantity;
    const double *published; // one; a sweep's: one for each n
    size_t n;
    unsigned copies; // QUANTITY_CYCLES of an instruction; else 0
};

struct reference {
    const char *file; // without folder and suffix
    const char *name, *about, *source;
    const char *note; // null: none
    enum reference_kind kind;
    const char *isa;         // as in gen/; null: the model's machine has none
    const char *kernel;      // sweeps; of an instruction: to measure it with; null: not given
    bool is_looped;          // sweeps: which form was published
    const char *asm_text;    // blocks and reports
    const char *instruction; // or null
    unsigned first;          // sweeps: streams of the first value
    unsigned iterations;     // reports
    const char *model;       // as in model_open
    const char *repaired_by; // overlay that repairs known mistakes of `model`; null: none are known
    double tolerance;        // largest allowed difference of a prediction, in the values' unit
    const char *why;         // reason for that tolerance
    struct reference_value *values;
    size_t n_values;
};

struct reference_set {
    struct reference *items;
    size_t n;
};

// Adds the experiments of one file, or of all *.yaml of a folder.
bool reference_load(struct arena *arena, const char *path, struct reference_set *set, struct fail *fail);
bool reference_load_folder(struct arena *arena, const char *folder, struct reference_set *set, struct fail *fail);

#endif
