/* libcyclops: how many cycles would this CPU take for these instructions?
 *
 * Simulates a block of machine instructions, taken as the body of a loop, under LLVM's scheduling model of a CPU, as
 * `cyclops mca` and llvm-mca do. Nothing is executed, no branch is followed, caches are taken to hit. Made to be called
 * many times, as a search for a better order of instructions does: opening a machine takes milliseconds, predicting a
 * block some microseconds.
 *
 * Threads: there is no global state. Different machines may be used by different threads at the same time; one machine,
 * with its blocks and predictions, by one thread at a time.
 *
 * Ownership: whatever a function returns that has a matching _free or _close is the caller's to give back. Blocks and
 * predictions must be freed before their machine is closed. Strings and arrays belong to the object they were asked
 * of and live as long as it does.
 *
 * Errors: functions that can fail return null or false and fill in *error, unless `error` is null. Passing null where
 * an object is wanted, or an index outside its range, is a mistake of the caller and undefined. Without memory the
 * library prints a line to stderr and ends the process.
 *
 * This is a C header that C++ can include too. The layout of its structs stays the same for one soname. */
#ifndef CYCLOPS_H
#define CYCLOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CYCLOPS_API __attribute__((visibility("default")))

enum cyclops_status {
    CYCLOPS_OK = 0,
    CYCLOPS_FAILED = 1,       /* the simulation cannot go on: an instruction the machine can never execute */
    CYCLOPS_BAD_INPUT = 2,    /* an unknown name, bytes that are no instruction, text that is no assembly */
    CYCLOPS_UNAVAILABLE = 77, /* what the machine needs is not installed; the text says what to install */
};

struct cyclops_error {
    enum cyclops_status status;
    unsigned line, column; /* in the assembly text, from 1; 0: not about a place */
    char text[1024];       /* one sentence, without a newline at its end */
};

/* ---- Machines ---- */

struct cyclops_machine;

/* A zeroed struct asks for the CPU this program runs on. */
struct cyclops_options {
    const char *llvm;     /* "19", or the path of a module or of a folder of them; null: the newest installed */
    const char *triple;   /* "aarch64-linux-gnu"; null: the host's */
    const char *cpu;      /* LLVM's name, "znver4"; null: the host's */
    const char *features; /* "+avx512f,-sse4a"; null: the CPU's own */
};

/* Null where the CPU is unknown, has no scheduling model, or LLVM's module is not there. `options` may be null. Files
 * of Cyclops, CPU files and overlays, are for its program: the library does not read them. */
CYCLOPS_API struct cyclops_machine *cyclops_open(const struct cyclops_options *options, struct cyclops_error *error);
CYCLOPS_API void cyclops_close(struct cyclops_machine *machine); /* null is allowed */

CYCLOPS_API const char *cyclops_machine_id(const struct cyclops_machine *machine);  /* "llvm-19/znver4" */
CYCLOPS_API unsigned cyclops_dispatch_width(const struct cyclops_machine *machine); /* uops a cycle, at least 1 */

/* Execution pipes and groups of them, by index from 0. A resource with n units is n equal pipes; a group's units are
 * its members. */
CYCLOPS_API unsigned cyclops_resource_count(const struct cyclops_machine *machine);
CYCLOPS_API const char *cyclops_resource_name(const struct cyclops_machine *machine, unsigned resource);
CYCLOPS_API unsigned cyclops_resource_units(const struct cyclops_machine *machine, unsigned resource);

/* ---- Blocks ---- */

struct cyclops_block; /* instructions; at least one */

/* Decodes machine code: whole instructions and nothing else. The bytes are copied. */
CYCLOPS_API struct cyclops_block *cyclops_block_from_bytes(struct cyclops_machine *machine, const void *bytes,
                                                           size_t n_bytes, struct cyclops_error *error);
/* Parses zero-terminated assembly text, in AT&T syntax for x86 unless it says .intel_syntax noprefix. Labels and
 * directives are allowed. Of a text with regions (comments LLVM-MCA-BEGIN and LLVM-MCA-END) the first is taken. */
CYCLOPS_API struct cyclops_block *cyclops_block_from_text(struct cyclops_machine *machine, const char *text,
                                                          struct cyclops_error *error);
/* The same instructions in another order, or some of them, or some several times: instruction i of the new block is
 * number order[i] of `block`; n is at least 1. Cheap: nothing is decoded or looked up again. The new block is an
 * object of its own; `block` may be freed before it. Null only without memory. */
CYCLOPS_API struct cyclops_block *cyclops_block_pick(const struct cyclops_block *block, const unsigned *order,
                                                     size_t n);
CYCLOPS_API void cyclops_block_free(struct cyclops_block *block); /* null is allowed */

/* What the model says of one instruction. */
struct cyclops_insn {
    const char *text;     /* as LLVM prints it, with tabs */
    const char *opcode;   /* LLVM's name of it, "VFMADD231PSZr" */
    const uint8_t *bytes; /* null where it has no encoding */
    unsigned n_bytes;
    unsigned uops;      /* micro-operations dispatched */
    unsigned latency;   /* cycles until its slowest result */
    double rthroughput; /* reciprocal throughput in cycles; 0: unknown */
    bool loads, stores, has_side_effects, is_branch, is_call, is_return;
};

CYCLOPS_API size_t cyclops_block_length(const struct cyclops_block *block); /* in instructions */
CYCLOPS_API struct cyclops_insn cyclops_block_insn(const struct cyclops_block *block, size_t index);

/* Whether instruction `second` must stay behind `first` (first < second) if the loop is to compute the same: one of
 * them needs or overwrites what the other makes, or it is a branch, has side effects, or both touch memory and one
 * stores. Results that nobody reads before they are overwritten, such as the flags of most additions, do not count.
 * Says nothing of instructions in between: an order is a good one if it keeps every pair that must be kept. As exact as
 * LLVM's tables of what instructions read and write. */
CYCLOPS_API bool cyclops_block_keeps_order(const struct cyclops_block *block, size_t first, size_t second);

/* ---- Predictions ---- */

struct cyclops_totals {
    uint64_t iterations;
    uint64_t cycles; /* from the first dispatch until the last retirement */
    uint64_t instructions, uops;
};

/* Executes the block `iterations` times (0: 100) on the simulated CPU. Nothing to free. */
CYCLOPS_API bool cyclops_simulate(const struct cyclops_block *block, uint64_t iterations, struct cyclops_totals *totals,
                                  struct cyclops_error *error);

enum cyclops_bottleneck {
    CYCLOPS_BY_RESOURCE,   /* a resource is busy all the time */
    CYCLOPS_BY_DISPATCH,   /* the dispatch width */
    CYCLOPS_BY_DEPENDENCY, /* instructions wait for results of each other */
    CYCLOPS_BY_BUFFER,     /* the reorder buffer, or the load and store queues, are full */
    CYCLOPS_BY_RETIRE,     /* the retire width */
    CYCLOPS_BY_SPREAD,     /* pipes are busy unevenly: the spread over them costs more than the busiest explains */
    CYCLOPS_BY_UNKNOWN,
};

/* What a loop of the block settles to. */
struct cyclops_prediction {
    double cycles; /* per iteration, in the steady state */
    double ipc;    /* instructions a cycle */
    double uops;   /* per iteration */
    enum cyclops_bottleneck bottleneck;
    const char *bottleneck_name; /* for people: "Zn4FP01", "dispatch width"; "" unknown */
    const double *pressure;      /* by resource: cycles per iteration that one of its units is held; 0 for groups, whose
                                    cycles are counted on their members */
    unsigned n_pressure;         /* the machine's resource count */
};

/* Null where the simulation fails. Slower than cyclops_simulate: it simulates until the time per iteration repeats,
 * and finds out what limits it. */
CYCLOPS_API struct cyclops_prediction *cyclops_predict(const struct cyclops_block *block, struct cyclops_error *error);
CYCLOPS_API void cyclops_prediction_free(struct cyclops_prediction *prediction); /* null is allowed */

#ifdef __cplusplus
}
#endif

#endif
