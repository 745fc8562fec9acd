/* libcyclops: how many cycles would this CPU take for these instructions?
 *
 * Simulates a block of machine instructions, taken as the body of a loop, under LLVM's scheduling model of a CPU, as
 * `cyclops mca` and llvm-mca do. Or predicts it by a CPU file, a model of Cyclops' own, which explains in words what
 * limits the block. Nothing is executed, no branch is followed, caches are taken to hit. Made to be called many times,
 * as a search for a better order of instructions does: opening a machine takes milliseconds, with a large CPU file a
 * tenth of a second; predicting a block takes microseconds by bounds, and up to a millisecond where a core is simulated
 * until its time repeats.
 *
 * CPU files know a front end, fusion, renaming, and stores that loads meet. They repeat a block that ends in a branch
 * as a loop; of any other, copies stand one after the other, as `cyclops run` times them. Addresses come from registers
 * as far as these tell; what cannot be followed is taken to be apart, and a note says so.
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
 * This is a C header that C++ can include too. For one soname the layout of structs that the caller makes stays the
 * same; cyclops_prediction, which the library makes, and enums may grow at their ends. */
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
    CYCLOPS_BAD_INPUT = 2,    /* an unknown name, bytes that are no instruction, text that is no assembly, a file that
                                 is wrong, an instruction that the CPU of a CPU file does not have */
    CYCLOPS_UNAVAILABLE = 77, /* what the machine needs is not installed; the text says what to install */
};

struct cyclops_error {
    enum cyclops_status status;
    unsigned line, column; /* in the assembly text, from 1; 0: not about a place there */
    char text[1024];       /* one sentence, without a newline at its end; about a file, it begins with the place:
                              "my.cpu.yaml:7:3: ..." */
};

/* ---- Machines ---- */

struct cyclops_machine;

/* A zeroed struct asks for the CPU this program runs on. */
struct cyclops_options {
    const char *llvm;   /* "19", or the path of a module or of a folder of them; null: the newest installed */
    const char *triple; /* "aarch64-linux-gnu"; null: the host's */
    /* LLVM's name, "znver4", also in one version, "llvm-19/znver4"; null: the host's. Or a file: a CPU file by its
     * path, "my.cpu.yaml", or "cpu:zen4" for one of the user's folder ~/.config/cyclops/cpus or of those that are
     * installed with the library; "core:zen4" and "core:my.cpu.yaml" simulate it cycle by cycle, where "cpu:" takes the
     * largest of its bounds. CPU files are of x86-64 or AArch64. An overlay, which changes one of LLVM's models, is
     * "my.yaml" or "overlay:NAME". */
    const char *cpu;
    const char *features; /* "+avx512f,-sse4a"; null: the CPU's own */
};

/* Null where the CPU is unknown, has no scheduling model, or LLVM's module is not there; where a file cannot be read,
 * or is wrong. `options` may be null. A file is read once, here. */
CYCLOPS_API struct cyclops_machine *cyclops_open(const struct cyclops_options *options, struct cyclops_error *error);
CYCLOPS_API void cyclops_close(struct cyclops_machine *machine); /* null is allowed */

CYCLOPS_API const char *cyclops_machine_id(const struct cyclops_machine *machine);  /* "llvm-19/znver4", "cpu:zen4" */
CYCLOPS_API unsigned cyclops_dispatch_width(const struct cyclops_machine *machine); /* uops a cycle, at least 1 */

/* Execution pipes and groups of them, by index from 0; of a CPU file, those of LLVM's model that it is based on. A
 * resource with n units is n equal pipes; a group's units are its members. */
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
    unsigned uops;      /* micro-operations dispatched; by a CPU file, slots of rename; 0: it is fused */
    unsigned latency;   /* cycles until its slowest result, its load included; rounded up */
    double rthroughput; /* reciprocal throughput in cycles, by its pipes; 0: unknown, or it holds none */
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
    uint64_t cycles;             /* from the first dispatch until the last retirement */
    uint64_t instructions, uops; /* uops: by a CPU file, slots of rename */
};

/* Executes the block `iterations` times (0: 100) on the simulated CPU; of a CPU file, on its core, also where the
 * machine is "cpu:". Nothing to free. */
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
    /* By CPU files only. */
    CYCLOPS_BY_FRONT_END,   /* what finds and decodes instructions, or delivers decoded ones */
    CYCLOPS_BY_MEMORY,      /* loads or stores per cycle */
    CYCLOPS_BY_INTERACTION, /* the core takes longer than each of its bounds */
};

/* Only the cycles per iteration in the steady state, as cyclops_predict finds them, in a fraction of its time: for
 * searches. */
CYCLOPS_API bool cyclops_cycles(const struct cyclops_block *block, double *cycles, struct cyclops_error *error);

/* What a loop of the block settles to. */
struct cyclops_prediction {
    double cycles; /* per iteration, in the steady state */
    double ipc;    /* instructions a cycle */
    double uops;   /* per iteration; by a CPU file, slots of rename */
    enum cyclops_bottleneck bottleneck;
    const char *bottleneck_name; /* for people: "Zn4FP01", "dispatch width"; "" unknown */
    const double *pressure;      /* by resource: cycles per iteration that one of its units is held; 0 for groups, whose
                                    cycles are counted on their members; null: by a CPU file, whose bounds do not share
                                    them out */
    unsigned n_pressure;         /* the machine's resource count; 0: by a CPU file */

    /* By a CPU file only; else "", 0 and null. Sentences have no capital and no full stop, and number instructions
     * from 1. */
    const char *limit;        /* what makes the largest bound: "7 slots, of which 4 are renamed and dispatched in a
                                 cycle" */
    double limit_cycles;      /* that bound, cycles per iteration: `cycles` of "cpu:", no more than those of "core:" */
    const char *next_limit;   /* the same of the next bound; "": there is none */
    double next_limit_cycles; /* no more than limit_cycles; 0: there is none */
    unsigned n_by_llvm;       /* instructions with a number that is LLVM's, as the file states none; 0: all are the
                                 file's */
    const char *const *notes; /* what the file does not know of the block, a sentence each */
    unsigned n_notes;
};

/* Null where the simulation fails. Slower than cyclops_simulate: it simulates until the time per iteration repeats,
 * and finds out what limits it. */
CYCLOPS_API struct cyclops_prediction *cyclops_predict(const struct cyclops_block *block, struct cyclops_error *error);
CYCLOPS_API void cyclops_prediction_free(struct cyclops_prediction *prediction); /* null is allowed */

/* ---- Regions ---- */

/* Cycles of a piece of the caller's own program, measured without counters, for languages that cannot include
 * cyclops_region.h; that header says how, and what the values mean. A region is used by one thread at a time. It knows
 * no machine, and needs no LLVM. */
struct cyclops_timed_region;

struct cyclops_timed_value {
    double cycles;    /* of one execution; NAN: none is known */
    double low, high; /* interval */
    uint64_t n;       /* executions */
    const char *why;  /* the value is not to be trusted, and why, one clause; null: it is stable */
};

CYCLOPS_API struct cyclops_timed_region *cyclops_timed_region_open(void); /* null: without memory, or on another ISA
                                                                             than x86-64 and AArch64 */
CYCLOPS_API void cyclops_timed_region_begin(struct cyclops_timed_region *region);
CYCLOPS_API void cyclops_timed_region_end(struct cyclops_timed_region *region);
CYCLOPS_API struct cyclops_timed_value cyclops_timed_region_value(const struct cyclops_timed_region *region);
CYCLOPS_API void cyclops_timed_region_close(struct cyclops_timed_region *region); /* null is allowed */

#ifdef __cplusplus
}
#endif

#endif
