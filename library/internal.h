// Private to this folder.
// What stands behind the public header's opaque structs. Machines, descriptions and predictions each own one arena,
// which they lie in themselves.
#ifndef LIBRARY_INTERNAL_H
#define LIBRARY_INTERNAL_H

#include "analyzer/model/model.h"
#include "analyzer/predict/bounds.h"
#include "analyzer/sim/pipeline.h"
#include "base/arena.h"
#include "base/fail.h"
#include "library/cyclops.h"

struct cyclops_machine {
    struct arena arena;
    struct model model;        // model.own: a CPU file
    struct pipeline *pipeline; // of LLVM's core and of `iterations`; null: not opened yet
    uint64_t iterations;
};

// Descriptions, shared by the blocks that are picked from one another.
struct descriptions {
    struct arena arena;
    size_t users; // blocks
};

struct cyclops_block {
    struct cyclops_machine *machine;
    struct descriptions *descriptions;
    struct block block;
    struct insn insns[]; // of `block`
};

// Name of the caller's assembly text in failures.
#define library_text "text"

// Copies the failure to the caller's error, which may be null.
void library_tell(const struct fail *fail, struct cyclops_error *error);

// What an instruction costs, in the terms of struct cyclops_insn.
struct library_cost {
    unsigned uops, latency;
    double rthroughput;
};

// By CPU files: own.c.
struct library_cost own_cost(const struct cpu *cpu, const struct insn *insn);
bool own_simulate(const struct cyclops_block *block, uint64_t iterations, struct pipeline_result *result,
                  struct fail *fail);
// Fills in what CPU files state besides.
bool own_explain(struct arena *arena, const struct cyclops_block *block, struct cyclops_prediction *prediction,
                 struct fail *fail);
// How a block is repeated.
struct bounds_request own_way(const struct cyclops_block *block);

#endif
