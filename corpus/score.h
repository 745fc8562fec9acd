// Scores models on measured blocks: by how much each is wrong, for which kinds of blocks, and which blocks are the
// worst.
#ifndef CORPUS_SCORE_H
#define CORPUS_SCORE_H

#include "analyzer/model/model_set.h"
#include "corpus/measured.h"
#include "gen/isa.h"

#include <stdbool.h>
#include <stddef.h>

struct score_request {
    struct measured_request measured;
    const struct isa *isa;
    struct model_request models;
    bool is_as_llvm_mca; // predict the cycles of 100 iterations from an empty pipeline; else the steady state
    bool runs_blocks;    // once, here, where a CPU file cannot follow their addresses
    bool is_undistorted; // leave out values whose notes state what distorts them
    size_t most;         // values to score; 0: all
    unsigned n_worst;    // worst blocks to find, of each model and form
    unsigned n_jobs;     // threads; 0: as many as CPUs
    const char *blocks;  // CSV file to write: a line for each value and its predictions; null: none
};

// Errors are (predicted - measured) / measured.
struct score_errors {
    size_t n;
    double absolute, relative; // sums of the errors without their sign, and with it
    size_t n_close;            // errors of at most 5 %
    size_t n_within;           // predictions inside of the measured interval
};

// Kinds of blocks.
enum score_group {
    GROUP_SCALAR,        // no vector instruction, no access to memory
    GROUP_SCALAR_MEMORY, // no vector instruction
    GROUP_VECTOR,        // some vector instruction, no access to memory
    GROUP_VECTOR_MEMORY, // some vector instruction
    GROUP_LOADS,         // reads memory, and does not write it
    GROUP_STORES,        // writes memory
    GROUP_LENGTH_4,      // up to 4 instructions
    GROUP_LENGTH_9,      // 5 to 9
    GROUP_LENGTH_19,     // 10 to 19
    GROUP_LENGTH_LONG,
    GROUP_PAGES_0, // one pass touches no memory
    GROUP_PAGES_1,
    GROUP_PAGES_MORE,
    GROUP_WALKS,   // a longer run touches more pages
    GROUP_NOTED,   // what distorts the value is known: crossing lines, subnormals, aliases
    GROUP_UNNOTED, // all others, where any is noted
    // By a CPU file: whether a number is LLVM's, as the file states none; and what it does not know of the block.
    GROUP_OWN_NUMBERS,
    GROUP_LLVM_NUMBERS,
    GROUP_DOUBTFUL,
    SCORE_N_GROUPS,
};
const char *score_group_name(enum score_group group);

// Blocks that have an instruction of a scheduling class.
struct score_class {
    const char *name;    // LLVM's: "WriteFAddY"; its first opcode where LLVM was built without names
    const char *opcodes; // some of its opcodes
    struct score_errors errors;
};

struct score_worst {
    const char *hex, *code, *text; // text: its instructions, with "; " between them
    double measured, low, high, predicted;
    double error;
    bool is_of_others, starts_apart, memory_is_own; // as in struct corpus_value
    const char *blame;                              // the part of the model; "": unknown
};

struct score_form { // of one model in one form
    struct score_errors all, groups[SCORE_N_GROUPS];
    size_t n_refused;            // blocks that the model does not describe, or cannot finish
    const char *refusal;         // the first reason; null: none
    double median;               // of the errors without their sign
    double tau;                  // Kendall's tau-b
    struct score_class *classes; // those that add most to the mean error first
    size_t n_classes;
    struct score_worst *worst;
    size_t n_worst;
};

struct scores {
    struct score_values {
        size_t n_stable; // those that are scored
        size_t n_unstable, n_missing, n_distorted;
        size_t n_run;           // of those scored, values predicted with the addresses of a run here
        size_t n_unrecorded;    // those with addresses that a CPU file cannot follow, and no run
        const char *unrecorded; // the first reason, one clause; null: none
        size_t n_branches;      // those with branches inside, which no model predicts
    } values[2];                // by enum program_form
    bool runs_blocks;           // as in the request
    size_t n_malformed;
    unsigned n_models;
    struct score_model {
        const char *title, *missing; // as in struct model
        const char *name;            // in files: "llvm-22/znver4"
        struct score_form forms[2];
    } models[MODEL_SET_MOST];
};

// Reads, predicts and scores. Fails where there is nothing to score, or a model cannot be opened.
bool score_blocks(struct arena *arena, const struct score_request *request, struct scores *scores, struct fail *fail);

double score_mean(const struct score_errors *errors); // mean absolute error: MAPE as a share

#endif
